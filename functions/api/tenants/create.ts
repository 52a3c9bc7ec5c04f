import { clock, settings, table } from '../../../lib/container.ts';
import { createTenant } from '../../../lib/features/tenants/create.ts';
import { createTenant as row } from '../../../lib/features/tenants/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createTenant);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
