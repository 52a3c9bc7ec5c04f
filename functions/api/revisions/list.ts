import { listRevisions } from '../../../lib/app/revisions/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listRevisions as row } from '../../../lib/contract/routes/revisions.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listRevisions);
export const handler = create(() => ({ table: table(), clock }));
