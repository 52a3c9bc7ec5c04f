import { clock, settings, table } from '../../../lib/container.ts';
import { deleteListener } from '../../../lib/features/listeners/delete.ts';
import { deleteListener as row } from '../../../lib/features/listeners/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteListener);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
