import { offerTask } from '../../../lib/core/engine/deploys.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import type { ClaimResponse, CompleteRequest } from '../../../lib/features/listener-protocol/shape.ts';
import { COMMIT, inProgress } from './processed.ts';
import { github, post, register } from './requests.ts';
import { aWorld, type World } from './world.ts';

/** What the revisions that are offered here run. */
export const artifact = {
  kind: 'folder',
  key: 'builds/one.tar',
  sha256: 'a'.repeat(64),
  sizeBytes: 10,
} as const;

/** A world with a listener. */
export type Listening = World & { listenerId: string };

/** A control plane with one listener. */
export async function listening(): Promise<Listening> {
  const world = await aWorld();
  return { ...world, listenerId: (await register(world, 'machine')).id };
}

/** A deployment whose first revision is offered to the listener. */
export async function offered(world: Listening, name: string, secrets: object[] = [], changes: object = {}) {
  const { id } = await post(world, github(name, { secrets, ...changes }));
  const { id: revisionId } = await inProgress(world, id, 'AWAITING_DEPLOY', { artifact, commit: COMMIT });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  if (loaded === undefined) throw new Error('no deployment');
  await offerTask(world.deps, loaded);
  return { id, revisionId };
}

type Task = ClaimResponse['tasks'][number];
const placeOf = ({ listenerId }: Listening, { task_id }: Task) => ({
  params: { listener_id: listenerId, task_id },
});

/** As our listener asks; nothing waits here, as on AWS. */
export const claim = (world: Listening, max = 10, instance_id = 'one', holding: string[] = []) =>
  claimTasks(
    world.deps,
    { params: { listener_id: world.listenerId }, body: { instance_id, max, holding, wait_seconds: 20 } },
    world.caller,
  );

export const heartbeat = (world: Listening, task: Task, phase?: 'switching') =>
  heartbeatTask(
    world.deps,
    { ...placeOf(world, task), body: { lease_id: task.lease_id, phase } },
    world.caller,
  );

/** Says how a task ended. */
export const complete = (
  world: Listening,
  task: Task | undefined,
  outcome: CompleteRequest['outcome'],
  more: Partial<CompleteRequest> = {},
) => {
  if (task === undefined) throw new Error('there is no such task');
  const body = { lease_id: task.lease_id, outcome, ...more };
  return completeTask(world.deps, { ...placeOf(world, task), body }, world.caller);
};
