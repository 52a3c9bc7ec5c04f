import { clock, table } from '../../../lib/container.ts';
import { deleteDeployments } from '../../../lib/features/deployments/delete-many.ts';
import { deleteDeployments as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteDeployments);
export const handler = create(() => ({ table: table(), clock }));
