import { clock, table } from '../../../lib/container.ts';
import { listDeployments } from '../../../lib/features/deployments/list.ts';
import { listDeployments as row } from '../../../lib/features/deployments/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listDeployments);
export const handler = create(() => ({ table: table(), clock }));
