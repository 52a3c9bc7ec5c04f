import { blobs, clock, keys, settings, table } from '../../../lib/container.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { patchDeployment } from '../../../lib/features/deployments/patch.ts';
import { patchDeployment as row } from '../../../lib/features/deployments/routes.ts';
import { withoutSentBack } from '../../../lib/features/deployments/sent-back.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, patchDeployment, {
  check: checkBodyResourceSpec,
  sentBack: withoutSentBack,
});
export const handler = create(() => ({
  table: table(),
  clock,
  keys: keys(),
  blobs: blobs(),
  settings: settings(),
}));
