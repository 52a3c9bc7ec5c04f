import { clock, table } from '../../../lib/container.ts';
import { tokenExists } from '../../../lib/features/oauth-tokens/exists.ts';
import { tokenExists as row } from '../../../lib/features/oauth-tokens/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, tokenExists);
export const handler = create(() => ({ table: table(), clock }));
