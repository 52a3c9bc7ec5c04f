import { showProvider } from '../../../lib/app/oauth/providers/get.ts';
import { clock, table } from '../../../lib/container.ts';
import { getProvider as row } from '../../../lib/contract/routes/oauth-providers.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, showProvider);
export const handler = create(() => ({ table: table(), clock }));
