import { clock, logs, table } from '../../../lib/container.ts';
import { queryDeploymentLogs } from '../../../lib/features/logs/follow-deployment.ts';
import { queryDeploymentLogs as row } from '../../../lib/features/logs/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryDeploymentLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
