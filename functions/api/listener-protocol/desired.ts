import { clock, table } from '../../../lib/container.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import { getDesired as row } from '../../../lib/features/listener-protocol/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getDesired);
export const handler = create(() => ({ table: table(), clock }));
