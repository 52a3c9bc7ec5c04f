import { clock, table } from '../../../lib/container.ts';
import { revokeApiKey } from '../../../lib/features/api-keys/revoke.ts';
import { revokeApiKey as row } from '../../../lib/features/api-keys/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, revokeApiKey);
export const handler = create(() => ({ table: table(), clock }));
