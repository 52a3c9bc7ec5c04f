import { activeRow } from '../deployment-rows.ts';
import { atMost, equals, update } from '../expressions.ts';
import type { Deployment } from '../items.ts';
import { deploymentKeyOf } from '../keys.ts';
import type { Write } from '../operations.ts';
import { countReport } from '../placements.ts';

type Active = NonNullable<Deployment['active']>;

/**
 * A listener's report changes what is known of the active revision. Demands that this revision is still the active one, deployed no later
 * than the reported epoch, and that the deployment's status is as read.
 */
export const recordReport = (
  deployment: Deployment,
  before: Active,
  after: Active,
  epoch: number,
): Write[] => [
  update(
    'deployment',
    deploymentKeyOf(deployment),
    { set: { active: after } },
    equals('active.revision_id', before.revision_id),
    atMost('active.epoch', epoch),
    equals('status', deployment.status),
  ),
  ...(deployment.status === 'AWAITING_DELETE' ? [] : [activeRow(deployment, after)]),
  countReport(deployment),
];
