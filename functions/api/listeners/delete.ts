import { deleteListener } from '../../../lib/app/listeners/delete.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { deleteListener as row } from '../../../lib/contract/routes/listeners.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteListener);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
