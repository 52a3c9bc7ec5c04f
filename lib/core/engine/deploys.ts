import { managedComputeKinds } from '../../compute/kinds.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import type { Settings } from '../deps.ts';
import type { Deployment, Listener } from '../items/items.ts';
import { findListener, lastSeenOf } from '../items/listeners.ts';
import { isManaged } from '../items/managed.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { recordFailure } from './record-failure.ts';
import { runtimeOf } from './runtime.ts';
import { offerDeploy, offerDeployAgain } from './transactions/tasks.ts';

export type OfferDeps = Pick<EngineDeps, 'table' | 'clock'> & { settings: Pick<Settings, 'defaultRuntime'> };

/**
 * Offers the revision's deploy to its listener; only while the deployment has no other task open. What runs
 * it is settled before; where nothing can, the deploy has failed.
 */
export async function offerTask(
  deps: OfferDeps,
  { deployment, slotRevision }: Pick<Loaded, 'deployment' | 'slotRevision'>,
): Promise<void> {
  if (slotRevision === undefined) return;
  const runtime = await runtimeOf(deps, deployment, slotRevision);
  if (runtime !== undefined && 'problem' in runtime)
    return recordFailure(deps, { slotRevision }, 'deploy', runtime.problem);
  const offer = { id: deps.clock.orderedId(), now: deps.clock.now() };
  await transact(deps.table, offerDeploy(deployment, slotRevision, offer, runtime));
}

/**
 * The lease ran out: what the listener made of the deploy is not known. The task is offered again, under a
 * new epoch.
 */
export async function markUnknown(
  deps: EngineDeps,
  { owner, deployment, slotRevision, task }: Loaded,
): Promise<void> {
  if (slotRevision === undefined || task?.state !== 'claimed') return;
  const message = `${await silence(deps, { owner, deployment, task })} Whether it was deployed is not known: what the listener says next decides; the revision fails ${deps.settings.silentSeconds} seconds after that time if it says nothing.`;
  const now = deps.clock.now();
  await transact(deps.table, offerDeployAgain(deployment, slotRevision, task, { message, now }));
}

export async function failUnclaimed(deps: EngineDeps, loaded: Loaded): Promise<void> {
  const { listener, lastSeenAt } = await lastSeenOf(
    deps.table,
    loaded.owner.tenantId,
    loaded.deployment.listener_id,
  );
  const worker = workerOf(listener, loaded.deployment);
  if (isManaged(loaded.deployment)) {
    const offeredAt = new Date(loaded.task?.offered_at ?? 0).toISOString();
    const message = `${worker} has not taken up this deploy since ${offeredAt}. Its log says why; then redeploy the revision.`;
    return recordFailure(deps, loaded, 'deploy', message);
  }
  const since = lastSeenAt === undefined ? 'it was registered' : new Date(lastSeenAt).toISOString();
  await recordFailure(deps, loaded, 'deploy', `${worker} has not asked for work since ${since}.`);
}

export async function failSilent(deps: EngineDeps, loaded: Loaded): Promise<void> {
  await recordFailure(deps, loaded, 'deploy', await silence(deps, loaded));
}

/** Who works on the tasks of a deployment, as messages name it. */
function workerOf(listener: Listener | undefined, { listener_id }: Deployment): string {
  const managed = listener && managedComputeKinds[listener.compute_type];
  return managed ? `The driver of ${managed.name}` : `Listener ${listener?.compute_id ?? listener_id}`;
}

/** Who was heard last when, in a sentence. */
async function silence(
  { table }: Pick<EngineDeps, 'table'>,
  { owner, deployment, task }: Pick<Loaded, 'owner' | 'deployment' | 'task'>,
): Promise<string> {
  const listener = await findListener(table, owner.tenantId, deployment.listener_id);
  const since = new Date(task?.last_heartbeat_at ?? 0).toISOString();
  return `${workerOf(listener, deployment)} went silent while deploying; it was last heard at ${since}.`;
}
