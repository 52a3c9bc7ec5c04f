import { clock, table } from '../../../lib/container.ts';
import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as row } from '../../../lib/features/events/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listEvents);
export const handler = create(() => ({ table: table(), clock }));
