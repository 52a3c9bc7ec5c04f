import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { heartbeatTask as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, heartbeatTask);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
