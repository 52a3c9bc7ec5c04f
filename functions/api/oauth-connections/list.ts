import { listConnections } from '../../../lib/app/oauth/connections/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listConnections as row } from '../../../lib/contract/routes/oauth-connections.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listConnections);
export const handler = create(() => ({ table: table(), clock }));
