import { listIntegrations } from '../../../lib/app/integrations/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listIntegrations as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listIntegrations);
export const handler = create(() => ({ table: table(), clock }));
