import { clock, table } from '../../../lib/container.ts';
import { listMembers } from '../../../lib/features/members/list.ts';
import { listMembers as row } from '../../../lib/features/members/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listMembers);
export const handler = create(() => ({ table: table(), clock }));
