import { blobs, clock, keys, settings, table } from '../../../lib/container.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
import { createRevision } from '../../../lib/features/deployments/create-revision.ts';
import { withoutSentBack } from '../../../lib/features/deployments/sent-back.ts';
import { createRevision as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, createRevision, {
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
