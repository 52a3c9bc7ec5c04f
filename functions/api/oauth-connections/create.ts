import { createConnection } from '../../../lib/app/oauth/connections/create.ts';
import { clock, table } from '../../../lib/container.ts';
import { createConnection as row } from '../../../lib/contract/routes/oauth-connections.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createConnection);
export const handler = create(() => ({ table: table(), clock }));
