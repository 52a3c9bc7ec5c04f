import { type Deaths, messageOfDeaths, nextDeaths } from '../../domain/deaths.ts';
import { type Stage, stageOf } from '../../domain/transitions.ts';
import { absent, equals, guard, same } from '../../store/expressions.ts';
import type { Outcome, Revision } from '../../store/items.ts';
import { refOf, revise, sameOutcome } from '../../store/revisions.ts';
import { write } from '../../store/write.ts';
import type { Deps } from '../deps.ts';
import { attemptOf } from './ask.ts';
import type { EngineDeps, Loaded } from './situation.ts';
import { startExecution } from './slots.ts';

/**
 * Takes a revision up again whose execution died, as the next attempt, from its last finished stage. `isDeath`: it is counted unless it has been
 * already, and the last that a stage may have is recorded as its failure.
 */
export async function restart(deps: EngineDeps, loaded: Loaded, isDeath: boolean): Promise<void> {
  const { slotRevision } = loaded;
  if (slotRevision === undefined) return;
  const isCounted = slotRevision.restart?.attempt === attemptOf(slotRevision);
  const death = isDeath && !isCounted ? nextDeaths(slotRevision.deaths, stageNow(slotRevision)) : undefined;
  if (death?.isLast === true) return recordLastDeath(deps, slotRevision, death.deaths, undefined);
  const attempt = attemptOf(slotRevision) + 1;
  const change = {
    set: { attempt, deaths: death?.deaths },
    remove: ['restart', 'execution_absent_since', 'at_capacity'],
  };
  await write(deps.table, revise(refOf(slotRevision), change, ...asRead(slotRevision)));
  await startExecution(deps, { ...loaded, slotRevision: { ...slotRevision, attempt } });
  await note(deps, slotRevision, attempt);
}

/**
 * Notes that the execution of this attempt died without an outcome; dispatch starts the next. The last death that a stage may have is recorded as
 * its failure instead. `cause`: the workflow's word for it.
 */
export async function markDeath(
  deps: Pick<Deps, 'table'>,
  revision: Revision,
  cause: string,
): Promise<'marked' | 'failed'> {
  const { deaths, isLast } = nextDeaths(revision.deaths, stageNow(revision));
  if (isLast) {
    await recordLastDeath(deps, revision, deaths, cause);
    return 'failed';
  }
  const change = { set: { restart: { attempt: attemptOf(revision), cause }, deaths } };
  await write(deps.table, revise(refOf(revision), change, ...asRead(revision)));
  return 'marked';
}

async function recordLastDeath(
  { table }: Pick<Deps, 'table'>,
  revision: Revision,
  deaths: Deaths,
  cause: string | undefined,
): Promise<void> {
  const outcome: Outcome = {
    stage: deaths.stage,
    result: 'failed',
    message: messageOfDeaths(deaths, cause),
  };
  await write(table, revise(refOf(revision), { set: { outcome, deaths } }, ...asRead(revision)));
}

/** Nobody else has taken it up or ended it, nor asked for it to end. */
const asRead = (revision: Revision): Parameters<typeof revise>[2][] => [
  guard('transition: status as read', equals('status', revision.status)),
  guard('attempt: as read', same('attempt', revision.attempt)),
  guard('attempt: death as read', same('restart.attempt', revision.restart?.attempt)),
  sameOutcome(revision),
  guard('interrupt: none is asked for', absent('interrupt_requested_at')),
];

/** A build that is recorded as succeeded has left the deploy to be done. */
export const stageNow = ({ status, outcome }: Revision): Stage =>
  outcome?.stage === 'build' ? 'deploy' : (stageOf(status) ?? 'deploy');

/** Whoever reads the log sees why it begins again; nothing else needs the note. */
async function note({ logs, clock }: EngineDeps, slotRevision: Revision, attempt: number): Promise<void> {
  const type = stageNow(slotRevision) === 'deploy' ? 'deploy' : 'build';
  const message = `The control plane stopped while this was at work; it goes on (attempt ${attempt}).`;
  const line = { timestamp: clock.now(), level: 'WARNING', message } as const;
  await logs.append({ ...refOf(slotRevision), type }, [line]).catch(() => undefined);
}
