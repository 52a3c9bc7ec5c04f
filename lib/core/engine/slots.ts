import { silenceFound } from '../../domain/confirmed.ts';
import { silenceOf } from '../../domain/silence.ts';
import { ConditionsFailed, transact, type Write } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { attemptOf, findRevisionByNumber } from '../items/revisions.ts';
import { type Asked, executionName } from './ask.ts';
import { type EngineDeps, type Loaded, situationOf } from './load.ts';
import { lookAtDeploymentLater, lookAtRevisionLater } from './transactions/looks.ts';
import { takeSlotWrites } from './transactions/slots.ts';

/** Gives the free slot to the oldest queued revision, if it still is that and still queued. */
export async function takeSlot(
  deps: EngineDeps,
  { owner, deployment, other }: Loaded,
  number: number,
): Promise<void> {
  const queued = other?.number === number ? other : await findRevisionByNumber(deps.table, owner, number);
  // Removed with its deployment since that was read: the next look sees it.
  if (queued === undefined) return;
  await transact(deps.table, takeSlotWrites(owner, deployment, { id: queued.id, number }, deps.clock.now()));
}

/** Starts the execution of the slot's revision. Harmless while it runs. */
export async function startExecution(deps: EngineDeps, { owner, slotRevision }: Loaded): Promise<void> {
  if (slotRevision === undefined) return;
  const input = { ...owner, revisionId: slotRevision.id, attempt: attemptOf(slotRevision) };
  await deps.workflow.start(executionName(slotRevision), input);
}

/**
 * Puts off the next look by sweep, or ends the looking when nothing of the deployment is in flight.
 * `changed`: it moved on meanwhile, or somebody asked for a look; look again now.
 */
export async function reschedule(
  deps: EngineDeps,
  loaded: Loaded,
  asked: Asked,
): Promise<'done' | 'changed'> {
  const next = nextLook(deps, loaded, asked);
  if (next === undefined) return 'done';
  try {
    await write(deps.table, next);
    return 'done';
  } catch (error) {
    if (error instanceof ConditionsFailed) return 'changed';
    throw error;
  }
}

function nextLook({ clock, settings }: EngineDeps, loaded: Loaded, asked: Asked): Write | undefined {
  const { deployment, slotRevision, task } = loaded;
  const now = clock.now();
  if (deployment.slot === undefined || slotRevision === undefined)
    return lookAtDeploymentLater(deployment, task, now);
  const { execution, build } = asked;
  const isSilent = silenceOf(situationOf(loaded, asked, now, settings)) !== undefined;
  const found = {
    execution_absent_since: execution === 'absent' ? (slotRevision.execution_absent_since ?? now) : undefined,
    build_absent_since: build?.state === 'absent' ? (slotRevision.build_absent_since ?? now) : undefined,
    silence_found: isSilent ? silenceFound(slotRevision.silence_found, now) : undefined,
  };
  return lookAtRevisionLater(slotRevision, found, now);
}
