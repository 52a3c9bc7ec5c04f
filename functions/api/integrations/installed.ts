import { listInstalledIntegrations } from '../../../lib/app/integrations/list-installed.ts';
import { clock, table } from '../../../lib/container.ts';
import { listInstalledIntegrations as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listInstalledIntegrations);
export const handler = create(() => ({ table: table(), clock }));
