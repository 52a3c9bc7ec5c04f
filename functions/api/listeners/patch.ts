import { patchListener } from '../../../lib/app/listeners/patch.ts';
import { clock, table } from '../../../lib/container.ts';
import { patchListener as row } from '../../../lib/contract/routes/listeners.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchListener);
export const handler = create(() => ({ table: table(), clock }));
