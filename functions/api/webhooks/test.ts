import { testWebhook } from '../../../lib/app/webhooks/request-delivery.ts';
import { clock, table } from '../../../lib/container.ts';
import { testWebhook as row } from '../../../lib/contract/routes/webhooks.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, testWebhook);
export const handler = create(() => ({ table: table(), clock }));
