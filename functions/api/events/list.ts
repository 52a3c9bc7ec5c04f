import { listEvents } from '../../../lib/app/events/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listEvents as row } from '../../../lib/contract/routes/events.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listEvents);
export const handler = create(() => ({ table: table(), clock }));
