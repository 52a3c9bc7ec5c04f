import { listProviders } from '../../../lib/app/oauth/providers/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listProviders as row } from '../../../lib/contract/routes/oauth-providers.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listProviders);
export const handler = create(() => ({ table: table(), clock }));
