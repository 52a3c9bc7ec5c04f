import { clock, table } from '../../../lib/container.ts';
import { getRevision } from '../../../lib/features/revisions/get.ts';
import { getRevision as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getRevision);
export const handler = create(() => ({ table: table(), clock }));
