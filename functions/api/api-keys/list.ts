import { listApiKeys } from '../../../lib/app/api-keys/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listApiKeys as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listApiKeys);
export const handler = create(() => ({ table: table(), clock }));
