import { createListener } from '../../../lib/app/listeners/create.ts';
import { clock, settings, table } from '../../../lib/container.ts';
import { createListener as row } from '../../../lib/contract/routes/listeners.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createListener);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
