import { clock, settings, table } from '../../../lib/container.ts';
import { deleteWebhook } from '../../../lib/features/webhooks/delete.ts';
import { deleteWebhook as row } from '../../../lib/features/webhooks/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteWebhook);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
