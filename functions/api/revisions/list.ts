import { clock, table } from '../../../lib/container.ts';
import { listRevisions } from '../../../lib/features/revisions/list.ts';
import { listRevisions as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listRevisions);
export const handler = create(() => ({ table: table(), clock }));
