import { listTokens } from '../../../lib/app/oauth/tokens/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listTokens as row } from '../../../lib/contract/routes/oauth-tokens.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listTokens);
export const handler = create(() => ({ table: table(), clock }));
