import { createWebhook } from '../../../lib/app/webhooks/create.ts';
import { clock, keys, settings, table } from '../../../lib/container.ts';
import { createWebhook as row } from '../../../lib/contract/routes/webhooks.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createWebhook);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
