import { getRevision } from '../../../lib/app/revisions/get.ts';
import { clock, table } from '../../../lib/container.ts';
import { getRevision as row } from '../../../lib/contract/routes/revisions.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getRevision);
export const handler = create(() => ({ table: table(), clock }));
