import { createPushToken } from '../../../lib/app/registry/create-push-token.ts';
import { clock, registry, table } from '../../../lib/container.ts';
import { createPushToken as row } from '../../../lib/contract/routes/sources.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createPushToken);
export const handler = create(() => ({ table: table(), clock, registry: registry() }));
