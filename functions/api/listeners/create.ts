import { clock, settings, table } from '../../../lib/container.ts';
import { createListener } from '../../../lib/features/listeners/create.ts';
import { createListener as row } from '../../../lib/features/listeners/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createListener);
export const handler = create(() => ({ table: table(), clock, settings: settings() }));
