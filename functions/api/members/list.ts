import { listMembers } from '../../../lib/app/members/list.ts';
import { clock, table } from '../../../lib/container.ts';
import { listMembers as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listMembers);
export const handler = create(() => ({ table: table(), clock }));
