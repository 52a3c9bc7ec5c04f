import { deleteIntegration } from '../../../lib/app/integrations/delete.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { deleteIntegration as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteIntegration);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
