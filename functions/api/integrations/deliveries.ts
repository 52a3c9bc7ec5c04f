import { listDeliveries } from '../../../lib/app/integrations/deliveries.ts';
import { clock, table } from '../../../lib/container.ts';
import { listDeliveries as row } from '../../../lib/contract/routes/integrations.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listDeliveries);
export const handler = create(() => ({ table: table(), clock }));
