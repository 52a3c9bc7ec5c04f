import { clock, table } from '../../../lib/container.ts';
import { removeMember } from '../../../lib/features/members/remove.ts';
import { removeMember as row } from '../../../lib/features/members/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, removeMember);
export const handler = create(() => ({ table: table(), clock }));
