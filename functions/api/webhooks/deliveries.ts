import { listWebhookDeliveries } from '../../../lib/app/webhooks/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listWebhookDeliveries as row } from '../../../lib/contract/routes/webhooks.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listWebhookDeliveries);
export const handler = create(() => ({ table: table(), clock }));
