import { clock, table } from '../../../lib/container.ts';
import { listTokenRules } from '../../../lib/features/token-rules/list.ts';
import { listTokenRules as row } from '../../../lib/features/token-rules/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listTokenRules);
export const handler = create(() => ({ table: table(), clock }));
