import type { StatusReport } from '../../listener/driver.ts';
import type { LocalState } from '../../listener/state.ts';
import type { ProcessDeployment } from './deployment.ts';

/** A reported reason is at most so long (protocol). */
const REASON_CHARACTERS_MAX = 2000;

/** What runs, what waits in it, and of what nothing runs any more. */
export function statusReports(
  deployments: ReadonlyMap<string, ProcessDeployment>,
  state: Pick<LocalState, 'deployments'>,
  threadsOf: (deploymentId: string) => Pick<StatusReport, 'threads' | 'expired'>,
): StatusReport[] {
  const running = [...deployments.values()].flatMap((deployment) =>
    reportOf(deployment).map((report) => ({ ...report, ...threadsOf(deployment.id) })),
  );
  const removed = [...state.deployments].flatMap(([id, { epoch, revision_id }]) =>
    revision_id === null && !deployments.has(id)
      ? [{ deployment_id: id, epoch, revision_id, healthy: false }]
      : [],
  );
  return [...running, ...removed];
}

function reportOf({ id, epoch, revisionId, problem, url }: ProcessDeployment): StatusReport[] {
  if (revisionId === undefined) return [];
  const reason = problem?.slice(0, REASON_CHARACTERS_MAX) ?? null;
  return [{ deployment_id: id, epoch, revision_id: revisionId, healthy: problem === undefined, reason, url }];
}
