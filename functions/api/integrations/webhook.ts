import { receiveDelivery } from '../../../lib/app/pushes/receive.ts';
import { clock, headWaker, keys, table } from '../../../lib/container.ts';
import { receiveDelivery as row } from '../../../lib/contract/routes/integrations.ts';
import { rawEndpoint } from '../../../lib/http/endpoint.ts';

export const create = rawEndpoint(row, receiveDelivery);
export const handler = create(() => ({ table: table(), clock, keys: keys(), headWaker: headWaker() }));
