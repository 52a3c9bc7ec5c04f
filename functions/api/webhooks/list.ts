import { clock, table } from '../../../lib/container.ts';
import { listWebhooks } from '../../../lib/features/webhooks/list.ts';
import { listWebhooks as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listWebhooks);
export const handler = create(() => ({ table: table(), clock }));
