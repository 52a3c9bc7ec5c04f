import { deleteWebhook } from '../../../lib/app/webhooks/delete.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { deleteWebhook as row } from '../../../lib/contract/routes/webhooks.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteWebhook);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
