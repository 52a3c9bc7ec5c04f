import { clock, logs, table } from '../../../lib/container.ts';
import { queryRevisionLogs } from '../../../lib/features/logs/follow.ts';
import { queryRevisionLogs as row } from '../../../lib/features/logs/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, queryRevisionLogs);
export const handler = create(() => ({ table: table(), clock, logs: logs() }));
