import { listTenants } from '../../../lib/app/tenants/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listTenants as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listTenants);
export const handler = create(() => ({ table: table(), clock }));
