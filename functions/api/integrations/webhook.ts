import { clock, headWaker, keys, table } from '../../../lib/container.ts';
import { receiveDelivery } from '../../../lib/features/pushes/receive.ts';
import { receiveDelivery as row } from '../../../lib/features/pushes/routes.ts';
import { rawEndpoint } from '../../../lib/http/endpoint.ts';

export const create = rawEndpoint(row, receiveDelivery);
export const handler = create(() => ({ table: table(), clock, keys: keys(), headWaker: headWaker() }));
