import { clock, logs, table } from '../../../lib/container.ts';
import { queryProjectDeployLogs } from '../../../lib/features/logs/query.ts';
import { queryProjectDeployLogs as row } from '../../../lib/features/logs/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryProjectDeployLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
