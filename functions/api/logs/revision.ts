import { queryRevisionLogs } from '../../../lib/app/logs/revision-logs.ts';
import { clock, logs, table } from '../../../lib/container.ts';
import { queryRevisionLogs as row } from '../../../lib/contract/routes/logs.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryRevisionLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
