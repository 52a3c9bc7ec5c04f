import { clock, table } from '../../../lib/container.ts';
import { listDeploymentActivity } from '../../../lib/features/activity/list.ts';
import { listDeploymentActivity as row } from '../../../lib/features/activity/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listDeploymentActivity);
export const handler = create(() => ({ table: table(), clock }));
