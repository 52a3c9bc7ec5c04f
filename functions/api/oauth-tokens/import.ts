import { importToken } from '../../../lib/app/oauth/tokens/import.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { importToken as row } from '../../../lib/contract/routes/oauth-tokens.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, importToken);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
