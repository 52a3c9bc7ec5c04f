import { deleteDeployment } from '../../../lib/app/deployments/delete.ts';
import { clock, table } from '../../../lib/container.ts';
import { deleteDeployment as row } from '../../../lib/contract/routes/deployments.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteDeployment);
export const handler = create(() => ({ table: table(), clock }));
