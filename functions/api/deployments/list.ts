import { listDeployments } from '../../../lib/app/deployments/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listDeployments as row } from '../../../lib/contract/routes/deployments.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listDeployments);
export const handler = create(() => ({ table: table(), clock }));
