import { createTenant } from '../../../lib/app/tenants/create.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { createTenant as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createTenant);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
