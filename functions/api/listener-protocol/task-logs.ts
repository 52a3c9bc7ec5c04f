import { shipTaskLogs } from '../../../lib/app/listener-protocol/task-logs.ts';
import { clock, keys, logs, table } from '../../../lib/container.ts';
import { shipTaskLogs as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, shipTaskLogs);
export const handler = create(() => ({ table: table(), clock, keys: keys(), logs: logs() }));
