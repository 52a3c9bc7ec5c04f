import { withReported } from '../../../domain/agent-address.ts';
import { atMost, equals, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import { deploymentKeyOf } from '../../../store/keys/index.ts';
import { activeRow } from '../../items/deployment-rows.ts';
import { noteHealth } from '../../items/health.ts';
import type { Deployment } from '../../items/items.ts';
import { countReport } from '../../items/placements.ts';

type Active = NonNullable<Deployment['active']>;

/**
 * A listener's report changes what is known of the active revision. Demands that this revision is still the
 * active one, deployed no later than the reported epoch, and that the deployment's status is as read.
 */
export const recordReport = (
  deployment: Deployment,
  before: Active,
  after: Active,
  { epoch, now }: { epoch: number; now: number },
): Write[] => {
  const reported = withReported(deployment, after.url);
  return [
    update(
      'deployment',
      deploymentKeyOf(deployment),
      { set: { active: after, ...(reported !== undefined && { v: deployment.v, reported_urls: reported }) } },
      equals('active.revision_id', before.revision_id),
      atMost('active.epoch', epoch),
      equals('status', deployment.status),
    ),
    ...(deployment.status === 'AWAITING_DELETE'
      ? []
      : [activeRow(deployment, after), ...noteHealth(deployment, before, after, now)]),
    countReport(deployment),
  ];
};
