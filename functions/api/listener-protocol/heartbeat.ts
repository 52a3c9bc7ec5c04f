import { clock, keys, table } from '../../../lib/container.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { heartbeatTask as row } from '../../../lib/features/listener-protocol/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, heartbeatTask);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
