import { clock, table } from '../../../lib/container.ts';
import { getTokenRule } from '../../../lib/features/token-rules/get.ts';
import { getTokenRule as row } from '../../../lib/features/token-rules/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getTokenRule);
export const handler = create(() => ({ table: table(), clock }));
