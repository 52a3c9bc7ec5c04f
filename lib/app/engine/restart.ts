import { type Deaths, messageOfDeaths, nextDeaths } from '../../domain/deaths.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Revision } from '../../store/engine/items.ts';
import { attemptOf, refOf, stageNow } from '../../store/engine/revisions.ts';
import { beginNextAttempt, noteDeath, recordLastDeath } from '../../store/engine/transactions/outcomes.ts';
import type { Deps } from '../deps.ts';
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
  if (death?.isLast === true) return failByDeaths(deps, slotRevision, death.deaths, undefined);
  const attempt = attemptOf(slotRevision) + 1;
  await write(deps.table, beginNextAttempt(slotRevision, death?.deaths));
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
    await failByDeaths(deps, revision, deaths, cause);
    return 'failed';
  }
  await write(deps.table, noteDeath(revision, cause, deaths));
  return 'marked';
}

const failByDeaths = (
  { table }: Pick<Deps, 'table'>,
  revision: Revision,
  deaths: Deaths,
  cause: string | undefined,
): Promise<void> => write(table, recordLastDeath(revision, deaths, messageOfDeaths(deaths, cause)));

/** Whoever reads the log sees why it begins again; nothing else needs the note. */
async function note({ logs, clock }: EngineDeps, slotRevision: Revision, attempt: number): Promise<void> {
  const type = stageNow(slotRevision) === 'deploy' ? 'deploy' : 'build';
  const message = `The control plane stopped while this was at work; it goes on (attempt ${attempt}).`;
  const line = { timestamp: clock.now(), level: 'WARNING', message } as const;
  await logs.append({ ...refOf(slotRevision), type }, [line]).catch(() => undefined);
}
