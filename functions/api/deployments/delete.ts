import { clock, table } from '../../../lib/container.ts';
import { deleteDeployment } from '../../../lib/features/deployments/delete.ts';
import { deleteDeployment as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteDeployment);
export const handler = create(() => ({ table: table(), clock }));
