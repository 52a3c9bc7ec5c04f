import { clock, keys, logs, table } from '../../../lib/container.ts';
import { shipLogs } from '../../../lib/features/listener-protocol/logs.ts';
import { shipLogs as row } from '../../../lib/features/listener-protocol/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, shipLogs);
export const handler = create(() => ({ table: table(), clock, keys: keys(), logs: logs() }));
