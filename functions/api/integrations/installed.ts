import { clock, table } from '../../../lib/container.ts';
import { listInstalledIntegrations } from '../../../lib/features/integrations/list-installed.ts';
import { listInstalledIntegrations as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listInstalledIntegrations);
export const handler = create(() => ({ table: table(), clock }));
