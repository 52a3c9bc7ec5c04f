import { clock, table } from '../../../lib/container.ts';
import { getListener } from '../../../lib/features/listeners/get.ts';
import { getListener as row } from '../../../lib/features/listeners/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getListener);
export const handler = create(() => ({ table: table(), clock }));
