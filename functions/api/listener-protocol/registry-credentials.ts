import { clock, registry, table } from '../../../lib/container.ts';
import { createRegistryCredentials } from '../../../lib/features/registry/create-registry-credentials.ts';
import { createRegistryCredentials as row } from '../../../lib/features/registry/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createRegistryCredentials);
export const handler = create(() => ({ table: table(), clock, registry: registry() }));
