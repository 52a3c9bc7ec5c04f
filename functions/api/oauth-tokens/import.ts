import { clock, keys, table } from '../../../lib/container.ts';
import { importToken } from '../../../lib/features/oauth-tokens/import.ts';
import { importToken as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, importToken);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
