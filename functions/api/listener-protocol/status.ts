import { clock, keys, table } from '../../../lib/container.ts';
import { reportStatus as row } from '../../../lib/features/listener-protocol/routes.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, reportStatus);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
