import { createApiKey } from '../../../lib/app/api-keys/create.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { createApiKey as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createApiKey);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
