import { patchWebhook } from '../../../lib/app/webhooks/patch.ts';
import { clock, keys, settings, table } from '../../../lib/container.ts';
import { patchWebhook as row } from '../../../lib/contract/routes/webhooks.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchWebhook);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
