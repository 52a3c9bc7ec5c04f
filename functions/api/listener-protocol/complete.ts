import { completeSeen } from '../../../lib/app/listener-protocol/complete.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { completeTask as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, completeSeen);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
