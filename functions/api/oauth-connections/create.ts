import { clock, table } from '../../../lib/container.ts';
import { createConnection } from '../../../lib/features/oauth-connections/create.ts';
import { createConnection as row } from '../../../lib/features/oauth-connections/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createConnection);
export const handler = create(() => ({ table: table(), clock }));
