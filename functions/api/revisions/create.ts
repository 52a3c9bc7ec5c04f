import { withoutSentBack } from '../../../lib/app/deployments/sent-back.ts';
import { createRevision } from '../../../lib/app/revisions/create.ts';
import { blobs, clock, keys, settings, table } from '../../../lib/container.ts';
import { createRevision as row } from '../../../lib/contract/routes/revisions.ts';
import { checkBodyResourceSpec } from '../../../lib/domain/resource-spec.ts';
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
