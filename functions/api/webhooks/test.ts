import { clock, table } from '../../../lib/container.ts';
import { testWebhook } from '../../../lib/features/webhooks/request-delivery.ts';
import { testWebhook as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, testWebhook);
export const handler = create(() => ({ table: table(), clock }));
