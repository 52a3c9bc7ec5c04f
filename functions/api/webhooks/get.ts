import { clock, table } from '../../../lib/container.ts';
import { getWebhook } from '../../../lib/features/webhooks/list.ts';
import { getWebhook as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getWebhook);
export const handler = create(() => ({ table: table(), clock }));
