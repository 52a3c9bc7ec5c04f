import { getDeployment } from '../../../lib/app/deployments/get.ts';
import { clock, table } from '../../../lib/container.ts';
import { getDeployment as row } from '../../../lib/contract/routes/deployments.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getDeployment);
export const handler = create(() => ({ table: table(), clock }));
