import { clock, table } from '../../../lib/container.ts';
import { patchListener } from '../../../lib/features/listeners/patch.ts';
import { patchListener as row } from '../../../lib/features/listeners/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchListener);
export const handler = create(() => ({ table: table(), clock }));
