import { buildControl, clock, table } from '../../lib/container.ts';
import { recordBuild } from '../../lib/core/engine/record-build.ts';
import { BUILD_SECONDS } from '../../lib/settings/functions.ts';
import { buildEvent } from '../../lib/triggers/build-event.ts';

export const create = buildEvent(recordBuild);
export const handler = create(() => ({
  table: table(),
  clock,
  builds: buildControl(),
  settings: { buildSeconds: BUILD_SECONDS() },
}));
