import { clock, table } from '../../../lib/container.ts';
import { listDeliveries } from '../../../lib/features/pushes/list.ts';
import { listDeliveries as row } from '../../../lib/features/pushes/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listDeliveries);
export const handler = create(() => ({ table: table(), clock }));
