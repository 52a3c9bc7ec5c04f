import { clock, table } from '../../../lib/container.ts';
import { listTenants } from '../../../lib/features/tenants/list.ts';
import { listTenants as row } from '../../../lib/features/tenants/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listTenants);
export const handler = create(() => ({ table: table(), clock }));
