import { deleteDeployments } from '../../../lib/app/deployments/delete-many.ts';
import { clock, table } from '../../../lib/container.ts';
import { deleteDeployments as row } from '../../../lib/contract/routes/deployments.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteDeployments);
export const handler = create(() => ({ table: table(), clock }));
