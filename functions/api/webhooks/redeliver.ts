import { clock, table } from '../../../lib/container.ts';
import { redeliver } from '../../../lib/features/webhooks/request-delivery.ts';
import { redeliver as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, redeliver);
export const handler = create(() => ({ table: table(), clock }));
