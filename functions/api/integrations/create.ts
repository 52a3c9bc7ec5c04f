import { createIntegration } from '../../../lib/app/integrations/create.ts';
import { clock, keys, settings, table } from '../../../lib/container.ts';
import { createIntegration as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createIntegration);
export const handler = create(() => ({ table: table(), clock, keys: keys(), settings: settings() }));
