import { getConnectionToken } from '../../../lib/app/oauth/connections/token.ts';
import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { getConnectionToken as row } from '../../../lib/contract/routes/oauth-connections.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getConnectionToken);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
