import { clock, settings, table } from '../../../lib/container.ts';
import { deleteProvider } from '../../../lib/features/oauth-providers/delete.ts';
import { deleteProvider as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteProvider);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
