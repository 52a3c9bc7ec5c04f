import { absent, equals, same, update } from '../../store/expressions.ts';
import { deploymentKey, due, revisionKey } from '../../store/keys.ts';
import { ConditionsFailed, transact, type Write } from '../../store/operations.ts';
import { findRevisionByNumber, IN_FLIGHT_LOOK_MILLISECONDS, inFlightDue } from '../../store/revisions.ts';
import { type EngineDeps, executionName, type Loaded } from './situation.ts';

/**
 * Only its listener brings a deletion forward that is offered to it, and its claim makes the deployment due: until then a look is for lost
 * events alone, and may have to be repeated for as long as a listener is away.
 */
const OFFERED_DELETION_LOOK_MILLISECONDS = 15 * 60_000;

/** Gives the free slot to the oldest queued revision, if it still is that and still queued: the reason revisions never overlap. */
export async function takeSlot(deps: EngineDeps, { owner, other }: Loaded, number: number): Promise<void> {
  const now = deps.clock.now();
  const at = revisionKey(owner.tenantId, owner.deploymentId, number);
  const key = deploymentKey(owner.tenantId, owner.deploymentId);
  const { id } = other?.number === number ? other : await queuedRevision(deps, { owner, number });
  await transact(deps.table, [
    update(
      'deployment',
      key,
      {
        set: {
          slot: { kind: 'revision', revision_id: id, number, attempt: 1, since: new Date(now).toISOString() },
        },
        remove: ['queued[0]', 'due_pk', 'due_at'],
      },
      absent('slot'),
      equals('queued[0]', number),
    ),
    update('revision', at, { set: inFlightDue(at, now) }, equals('status', 'QUEUED'), equals('id', id)),
  ]);
}

async function queuedRevision(
  deps: EngineDeps,
  { owner, number }: { owner: Loaded['owner']; number: number },
): Promise<{ id: string }> {
  const revision = await findRevisionByNumber(deps.table, owner, number);
  if (revision === undefined) {
    throw new Error(`revision ${number} of deployment ${owner.deploymentId} is queued but not stored`);
  }
  return revision;
}

/** Starts the execution of the slot's revision; under the next attempt's name when one of this name has closed. */
export async function startExecution(deps: EngineDeps, loaded: Loaded, nextAttempt: boolean): Promise<void> {
  const { owner, deployment } = loaded;
  const { slot } = deployment;
  if (slot === undefined) return;
  const attempt = slot.attempt + (nextAttempt ? 1 : 0);
  if (nextAttempt) {
    await transact(deps.table, [
      update(
        'deployment',
        deploymentKey(owner.tenantId, owner.deploymentId),
        { set: { 'slot.attempt': attempt } },
        equals('slot.revision_id', slot.revision_id),
        equals('slot.attempt', slot.attempt),
      ),
    ]);
  }
  const input = { ...owner, revisionId: slot.revision_id };
  await deps.workflow.start(executionName(slot.revision_id, attempt), input);
}

/**
 * Puts off the next look by sweep, or ends the looking when nothing of the deployment is in flight. `changed`: it moved on
 * meanwhile, look again now.
 */
export async function rearm(deps: EngineDeps, loaded: Loaded): Promise<'done' | 'changed'> {
  try {
    await transact(deps.table, [nextLook(loaded, deps.clock.now())]);
    return 'done';
  } catch (error) {
    if (error instanceof ConditionsFailed) return 'changed';
    throw error;
  }
}

function nextLook({ owner, deployment, holder, task }: Loaded, now: number): Write {
  if (deployment.slot !== undefined && holder !== undefined) {
    const at = revisionKey(owner.tenantId, owner.deploymentId, holder.number);
    return update('revision', at, { set: inFlightDue(at, now) }, equals('status', holder.status));
  }
  const key = deploymentKey(owner.tenantId, owner.deploymentId);
  const deleting = deployment.slot?.kind === 'delete';
  const idle = deployment.queued.length === 0 && task === undefined && !deleting;
  const waits = deleting && task?.state === 'offered';
  const change = idle
    ? { remove: ['due_pk', 'due_at'] }
    : { set: due(key.pk, now + (waits ? OFFERED_DELETION_LOOK_MILLISECONDS : IN_FLIGHT_LOOK_MILLISECONDS)) };
  return update(
    'deployment',
    key,
    change,
    same('slot.kind', deployment.slot?.kind),
    same('task_id', deployment.task_id),
    equals('queued', deployment.queued),
  );
}
