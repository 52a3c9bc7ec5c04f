import { agentSecrets, clock, compute, keys, logs, placeOfService, table } from '../../lib/container.ts';
import { type DriveDeps, drive } from '../../lib/drive/drive.ts';
import { computeDriver } from '../../lib/triggers/compute-event.ts';

/** A folder cannot run on Fargate, and the driver says so: no link to it is needed. */
const noLinks: DriveDeps['blobs'] = { downloadUrl: async (key) => key };

export const create = computeDriver(drive, placeOfService);
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  blobs: noLinks,
  logs: logs(),
  compute: compute(),
  agentSecrets: agentSecrets(),
}));
