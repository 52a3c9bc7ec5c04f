import { clock, settings, table } from '../../../lib/container.ts';
import { deleteIntegration } from '../../../lib/features/integrations/delete.ts';
import { deleteIntegration as row } from '../../../lib/features/integrations/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteIntegration);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
