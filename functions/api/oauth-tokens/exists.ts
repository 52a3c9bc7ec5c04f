import { tokenExists } from '../../../lib/app/oauth/tokens/exists.ts';
import { clock, table } from '../../../lib/container.ts';
import { tokenExists as row } from '../../../lib/contract/routes/oauth-tokens.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, tokenExists);
export const handler = create(() => ({ table: table(), clock }));
