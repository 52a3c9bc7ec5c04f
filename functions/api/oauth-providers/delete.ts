import { deleteProvider } from '../../../lib/app/oauth/providers/delete.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { deleteProvider as row } from '../../../lib/contract/routes/oauth-providers.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteProvider);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
