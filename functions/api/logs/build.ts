import { clock, logs, table } from '../../../lib/container.ts';
import { queryBuildLogs } from '../../../lib/features/logs/query.ts';
import { queryBuildLogs as row } from '../../../lib/features/logs/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryBuildLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
