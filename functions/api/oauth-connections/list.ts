import { clock, table } from '../../../lib/container.ts';
import { listConnections } from '../../../lib/features/oauth-connections/list.ts';
import { listConnections as row } from '../../../lib/features/oauth-connections/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listConnections);
export const handler = create(() => ({ table: table(), clock }));
