import { shipLogs } from '../../../lib/app/listener-protocol/logs.ts';
import { clock, keys, logs, table } from '../../../lib/container.ts';
import { shipLogs as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, shipLogs);
export const handler = create(() => ({ table: table(), clock, keys: keys(), logs: logs() }));
