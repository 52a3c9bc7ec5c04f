import { clock, keys, settings, table } from '../../../lib/container.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { createIntegration as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createIntegration);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
