import { clock, keys, settings, table } from '../../../lib/container.ts';
import { createWebhook } from '../../../lib/features/webhooks/create.ts';
import { createWebhook as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createWebhook);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
