import { removeMember } from '../../../lib/app/members/remove.ts';
import { clock, table } from '../../../lib/container.ts';
import { removeMember as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, removeMember);
export const handler = create(() => ({ table: table(), clock }));
