import { clock, keys, logs, table } from '../../../lib/container.ts';
import { shipTaskLogs as row } from '../../../lib/features/listener-protocol/routes.ts';
import { shipTaskLogs } from '../../../lib/features/listener-protocol/task-logs.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, shipTaskLogs);
export const handler = create(() => ({ table: table(), clock, keys: keys(), logs: logs() }));
