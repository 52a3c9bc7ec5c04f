import { revokeApiKey } from '../../../lib/app/api-keys/revoke.ts';
import { clock, table } from '../../../lib/container.ts';
import { revokeApiKey as row } from '../../../lib/contract/routes/identity.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, revokeApiKey);
export const handler = create(() => ({ table: table(), clock }));
