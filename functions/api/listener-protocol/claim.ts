import { blobs, clock, doorbell, keys, table, taskNotifier } from '../../../lib/container.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { claimTasks as row } from '../../../lib/features/listener-protocol/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, claimTasks);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  blobs: blobs(),
  taskNotifier,
  doorbell: doorbell(),
}));
