import { clock, table } from '../../../lib/container.ts';
import { getProvider } from '../../../lib/features/oauth-providers/get.ts';
import { getProvider as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getProvider);
export const handler = create(() => ({ table: table(), clock }));
