import { getListener } from '../../../lib/app/listeners/get.ts';
import { clock, table } from '../../../lib/container.ts';
import { getListener as row } from '../../../lib/contract/routes/listeners.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getListener);
export const handler = create(() => ({ table: table(), clock }));
