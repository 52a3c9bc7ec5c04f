import { clock, registry, table } from '../../../lib/container.ts';
import { createPushToken } from '../../../lib/features/registry/create-push-token.ts';
import { createPushToken as row } from '../../../lib/features/registry/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createPushToken);
export const handler = create(() => ({ table: table(), clock, registry: registry() }));
