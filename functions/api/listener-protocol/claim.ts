import { claimTasks } from '../../../lib/app/listener-protocol/claim.ts';
import { blobs, clock, keys, table, taskNotifier } from '../../../lib/container.ts';
import { claimTasks as row } from '../../../lib/contract/routes/listener-protocol.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, claimTasks);
export const handler = create(() => ({ table: table(), clock, keys: keys(), blobs: blobs(), taskNotifier }));
