import { clock, table } from '../../../lib/container.ts';
import { putMember } from '../../../lib/features/members/put.ts';
import { putMember as row } from '../../../lib/features/members/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, putMember);
export const handler = create(() => ({ table: table(), clock }));
