import { clock, table } from '../../../lib/container.ts';
import { listApiKeys } from '../../../lib/features/api-keys/list.ts';
import { listApiKeys as row } from '../../../lib/features/api-keys/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, listApiKeys);
export const handler = create(() => ({ table: table(), clock }));
