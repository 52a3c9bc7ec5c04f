import { clock, logs, table } from '../../../lib/container.ts';
import { queryDeployLogs } from '../../../lib/features/logs/query.ts';
import { queryDeployLogs as row } from '../../../lib/features/logs/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryDeployLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
