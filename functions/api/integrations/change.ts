import { changeIntegration } from '../../../lib/app/integrations/change.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { changeIntegration as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, changeIntegration);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
