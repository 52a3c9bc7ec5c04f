import { clock, table } from '../../../lib/container.ts';
import { listWebhookDeliveries } from '../../../lib/features/webhooks/list.ts';
import { listWebhookDeliveries as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listWebhookDeliveries);
export const handler = create(() => ({ table: table(), clock }));
