import { getSpec } from '../../../lib/app/listener-protocol/spec.ts';
import { blobs, clock, keys, table } from '../../../lib/container.ts';
import { getSpec as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, getSpec);
export const handler = create(() => ({ table: table(), clock, keys: keys(), blobs: blobs() }));
