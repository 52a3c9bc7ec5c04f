import { clock, table } from '../../../lib/container.ts';
import { listProviders } from '../../../lib/features/oauth-providers/list.ts';
import { listProviders as row } from '../../../lib/features/oauth-providers/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listProviders);
export const handler = create(() => ({ table: table(), clock }));
