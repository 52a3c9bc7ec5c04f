import { queryBuildLogs } from '../../../lib/app/logs/revision-logs.ts';
import { clock, logs, table } from '../../../lib/container.ts';
import { queryBuildLogs as row } from '../../../lib/contract/routes/logs.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryBuildLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
