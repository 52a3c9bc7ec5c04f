import { clock, keys, settings, table } from '../../../lib/container.ts';
import { patchWebhook } from '../../../lib/features/webhooks/patch.ts';
import { patchWebhook as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchWebhook);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
