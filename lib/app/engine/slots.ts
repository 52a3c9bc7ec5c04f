import { absent, type Change, equals, guard, same, update } from '../../store/expressions.ts';
import type { Revision } from '../../store/items.ts';
import { deploymentKey, due, revisionKey } from '../../store/keys.ts';
import { ConditionsFailed, transact, type Write } from '../../store/operations.ts';
import {
  findRevisionByNumber,
  IN_FLIGHT_LOOK_MILLISECONDS,
  inFlightDue,
  refOf,
  revise,
} from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import { type Asked, attemptOf, executionName } from './ask.ts';
import type { EngineDeps, Loaded } from './situation.ts';

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
          slot: { kind: 'revision', revision_id: id, number, since: new Date(now).toISOString() },
        },
        remove: ['queued[0]', 'due_pk', 'due_at'],
      },
      guard('slot: free', absent('slot')),
      guard('slot: head of the queue', equals('queued[0]', number)),
    ),
    revise(
      { ...owner, revisionId: id },
      { set: { attempt: 1, ...inFlightDue(at, now) } },
      guard('slot: still queued', equals('status', 'QUEUED')),
    ),
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

/** Starts the execution of the slot's revision. Harmless while it runs. */
export async function startExecution(deps: EngineDeps, { owner, slotRevision }: Loaded): Promise<void> {
  if (slotRevision === undefined) return;
  const input = { ...owner, revisionId: slotRevision.id, attempt: attemptOf(slotRevision) };
  await deps.workflow.start(executionName(slotRevision), input);
}

/**
 * Puts off the next look by sweep, or ends the looking when nothing of the deployment is in flight. `changed`: it moved on meanwhile, or
 * somebody asked for a look; look again now.
 */
export async function reschedule(
  deps: EngineDeps,
  loaded: Loaded,
  asked: Asked,
): Promise<'done' | 'changed'> {
  try {
    await write(deps.table, nextLook(loaded, asked, deps.clock.now()));
    return 'done';
  } catch (error) {
    if (error instanceof ConditionsFailed) return 'changed';
    throw error;
  }
}

/** Since when a question has been answered with `absent`, which is believed when the next look hears it again. */
function absences(slotRevision: Revision, { execution, build }: Asked, now: number): Change {
  const since = {
    execution_absent_since: execution === 'absent' ? (slotRevision.execution_absent_since ?? now) : undefined,
    build_absent_since: build?.state === 'absent' ? (slotRevision.build_absent_since ?? now) : undefined,
  };
  const names = ['execution_absent_since', 'build_absent_since'] as const;
  const over = names.filter((name) => since[name] === undefined && slotRevision[name] !== undefined);
  return { set: since, remove: over };
}

function nextLook({ owner, deployment, slotRevision, task }: Loaded, asked: Asked, now: number): Write {
  if (deployment.slot !== undefined && slotRevision !== undefined) {
    const at = revisionKey(owner.tenantId, owner.deploymentId, slotRevision.number);
    const { set, remove = [] } = absences(slotRevision, asked, now);
    const change = { set: { ...set, ...inFlightDue(at, now) }, remove };
    return revise(
      refOf(slotRevision),
      change,
      guard('transition: status as read', equals('status', slotRevision.status)),
      guard('look: nobody asked for one', same('due_at', slotRevision.due_at)),
    );
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
    guard('look: slot as read', same('slot.kind', deployment.slot?.kind)),
    guard('look: task as read', same('task_id', deployment.task_id)),
    guard('look: queue as read', equals('queued', deployment.queued)),
    guard('look: nobody asked for one', same('due_at', deployment.due_at)),
  );
}
