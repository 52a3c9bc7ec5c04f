import type { ThreadCounts } from '../../../lib/contract/deployments/threads.ts';
import { getListenerItem } from '../../../lib/core/items/listeners.ts';
import { noteVersion } from '../../../lib/features/listener-protocol/claim.ts';
import { reportStatus as row } from '../../../lib/features/listener-protocol/routes.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { releaseThreads } from '../../../lib/features/revisions/release-threads.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey, revisionKeyOf } from '../../../lib/store/keys/index.ts';
import type { Listening } from './listening.ts';
import { ended } from './processed.ts';
import { github, post, postRevision } from './requests.ts';

/** The epoch under which its revisions are deployed. */
const EPOCH = 5;

/** A revision that was deployed ran in the durable server. */
export const ranDurable = ({ deps, caller }: Listening, id: string, revisionId: string) =>
  transact(deps.table, [
    update('revision', revisionKeyOf({ tenantId: caller.tenantId, deploymentId: id, revisionId }), {
      set: { runtime: 'durable' },
    }),
    update('deployment', deploymentKey(caller.tenantId, id), {
      set: { runtime: { resolved: 'durable', reason: 'asked' } },
    }),
  ]);

/** The listener says that it has this version. */
export async function isOfVersion(world: Listening, version: string): Promise<void> {
  const listener = await getListenerItem(world.deps.table, world.caller.tenantId, world.listenerId);
  await noteVersion(world.deps, listener, { version });
}

/** A deployment of which two revisions were deployed in the durable server, on a listener of this version. */
export async function replaced(world: Listening, version = '0.2.0') {
  await isOfVersion(world, version);
  const { id } = await post(world, github('a'));
  const deployed = async () => {
    const { id: revisionId } = await ended(world, id, 'DEPLOYED', { outcome: { epoch: EPOCH } });
    await ranDurable(world, id, revisionId);
    return revisionId;
  };
  const old = await deployed();
  await postRevision(world, id);
  return { id, old, serving: await deployed() };
}

type Of = { id: string; serving: string };
type Said = { threads?: object[] | undefined; expired?: object[] | undefined };

/** What a listener reports of a deployment that is well. */
export function tell(world: Listening, { id, serving }: Of, said: Said, epoch = EPOCH) {
  const report = { deployment_id: id, revision_id: serving, epoch, healthy: true, ...said };
  const body = row.body.parse({ reports: [report] });
  return reportStatus(world.deps, { params: { listener_id: world.listenerId }, body }, world.caller);
}

/** So many threads wait in a revision. */
export const waitingIn = (revision_id: string, waiting: number, runs = 0): ThreadCounts => ({
  revision_id,
  runs,
  waiting,
  oldest_at: waiting === 0 ? null : '2026-11-20T10:00:00.000Z',
});

export const letGo = (world: Listening, deployment_id: string, revision_id: string) =>
  releaseThreads(world.deps, { params: { deployment_id, revision_id } }, world.caller);
