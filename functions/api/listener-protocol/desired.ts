import { getDesired } from '../../../lib/app/listener-protocol/desired.ts';
import { clock, table } from '../../../lib/container.ts';
import { getDesired as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getDesired);
export const handler = create(() => ({ table: table(), clock }));
