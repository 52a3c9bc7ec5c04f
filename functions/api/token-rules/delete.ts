import { clock, table } from '../../../lib/container.ts';
import { deleteTokenRule } from '../../../lib/features/token-rules/delete.ts';
import { deleteTokenRule as row } from '../../../lib/features/token-rules/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, deleteTokenRule);
export const handler = create(() => ({ table: table(), clock }));
