import { clock, keys, oauth, table } from '../../../lib/container.ts';
import { getConnectionToken as row } from '../../../lib/features/oauth-connections/routes.ts';
import { getConnectionToken } from '../../../lib/features/oauth-connections/token.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getConnectionToken);
export const handler = create(() => ({ table: table(), clock, keys: keys(), oauth: oauth() }));
