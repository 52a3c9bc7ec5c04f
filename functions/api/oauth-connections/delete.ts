import { clock, settings, table } from '../../../lib/container.ts';
import { deleteConnection } from '../../../lib/features/oauth-connections/delete.ts';
import { deleteConnection as row } from '../../../lib/features/oauth-connections/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteConnection);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
