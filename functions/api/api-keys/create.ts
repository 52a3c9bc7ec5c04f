import { clock, settings, table } from '../../../lib/container.ts';
import { createApiKey } from '../../../lib/features/api-keys/create.ts';
import { createApiKey as row } from '../../../lib/features/api-keys/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createApiKey);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
