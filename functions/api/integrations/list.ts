import { clock, table } from '../../../lib/container.ts';
import { listIntegrations } from '../../../lib/features/integrations/list.ts';
import { listIntegrations as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listIntegrations);
export const handler = create(() => ({ table: table(), clock }));
