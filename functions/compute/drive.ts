import { drive } from '../../lib/app/compute/drive.ts';
import { blobs, clock, compute, keys, logs, placeOfService, table } from '../../lib/container.ts';
import { computeDriver } from '../../lib/triggers/compute-event.ts';

export const create = computeDriver(drive, placeOfService);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  blobs: blobs(),
  logs: logs(),
  compute: compute(),
}));
