import { clock, keys, table } from '../../../lib/container.ts';
import { changeIntegration } from '../../../lib/features/integrations/change.ts';
import { changeIntegration as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, changeIntegration);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
