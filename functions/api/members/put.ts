import { putMember } from '../../../lib/app/members/put.ts';
import { clock, table } from '../../../lib/container.ts';
import { putMember as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, putMember);
export const handler = create(() => ({ table: table(), clock }));
