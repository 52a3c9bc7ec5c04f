import { patchDeployment } from '../../../lib/app/deployments/patch.ts';
import { withoutSentBack } from '../../../lib/app/deployments/sent-back.ts';
import { blobs, clock, keys, settings, table } from '../../../lib/container.ts';
import { patchDeployment as row } from '../../../lib/contract/routes/deployments.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
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
