import { blobs, clock, keys, table } from '../../../lib/container.ts';
import { getSpec as row } from '../../../lib/features/listener-protocol/routes.ts';
import { getSpec } from '../../../lib/features/listener-protocol/spec.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getSpec);
export const handler = create(() => ({ table: table(), clock, keys: keys(), blobs: blobs() }));
