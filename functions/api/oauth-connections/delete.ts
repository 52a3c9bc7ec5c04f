import { deleteConnection } from '../../../lib/app/oauth/connections/delete.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { deleteConnection as row } from '../../../lib/contract/routes/oauth-connections.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteConnection);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
