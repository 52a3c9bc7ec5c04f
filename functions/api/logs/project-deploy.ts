import { queryProjectDeployLogs } from '../../../lib/app/logs/deployment-logs.ts';
import { clock, logs, table } from '../../../lib/container.ts';
import { queryProjectDeployLogs as row } from '../../../lib/contract/routes/logs.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryProjectDeployLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
