import { clock, table } from '../../../lib/container.ts';
import { getDeployment } from '../../../lib/features/deployments/get.ts';
import { getDeployment as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getDeployment);
export const handler = create(() => ({ table: table(), clock }));
