import { clock, table } from '../../../lib/container.ts';
import { listTokens } from '../../../lib/features/oauth-tokens/list.ts';
import { listTokens as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listTokens);
export const handler = create(() => ({ table: table(), clock }));
