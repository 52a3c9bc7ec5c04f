import { reportStatus } from '../../../lib/app/listener-protocol/status.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { reportStatus as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, reportStatus);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
