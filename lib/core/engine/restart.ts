import { type Deaths, isLastDeath, messageOfDeaths, nextDeaths } from '../../domain/deaths.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import type { Revision } from '../items/items.ts';
import { attemptOf, hasBuild, isUnstarted, refOf, stageNow } from '../items/revisions.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { startExecution } from './slots.ts';
import { stopBuild } from './stop-build.ts';
import { beginNextAttempt, noteDeath, recordLastDeath } from './transactions/outcomes.ts';

/** What the state that waits for a build is failed with when the build was lost. */
export const BUILD_LOST = 'BuildLost';

/**
 * Takes a revision up again whose execution died, as the next attempt, from its last finished stage.
 * `isDeath`: it is counted unless it has been already, and the last that a stage may have is recorded as its
 * failure.
 */
export async function restart(deps: EngineDeps, loaded: Loaded, isDeath: boolean): Promise<void> {
  const { slotRevision } = loaded;
  if (slotRevision === undefined) return;
  const isCounted = slotRevision.restart?.attempt === attemptOf(slotRevision);
  const stage = stageNow(slotRevision);
  const deaths = isDeath && !isCounted ? nextDeaths(slotRevision.deaths, stage) : slotRevision.deaths;
  if (isDeath && deaths !== undefined && isLastDeath(deaths, stage))
    return failByDeaths(deps, slotRevision, deaths);
  const attempt = attemptOf(slotRevision) + 1;
  await write(deps.table, beginNextAttempt(slotRevision, deaths));
  await startExecution(deps, { ...loaded, slotRevision: { ...slotRevision, attempt } });
  await note(deps, slotRevision, attempt);
}

/**
 * Notes that the execution of this attempt died without an outcome; dispatch starts the next. The last death
 * that a stage may have is recorded as its failure instead, unless a build may run: then dispatch does so,
 * which can stop it. `cause`: the workflow's word for it.
 */
export async function markDeath(
  { table }: Pick<Deps, 'table'>,
  revision: Revision,
  cause: string,
): Promise<'marked' | 'failed'> {
  const stage = stageNow(revision);
  if (lostWithEarlierAttempt(revision, cause) || (cause === BUILD_LOST && isUnstarted(revision))) {
    await write(table, noteDeath(revision, cause, revision.deaths));
    return 'marked';
  }
  const deaths = nextDeaths(revision.deaths, stage);
  if (isLastDeath(deaths, stage) && !hasBuild(revision)) {
    await write(table, recordLastDeath(revision, deaths, messageOfDeaths(deaths, cause)));
    return 'failed';
  }
  await write(table, noteDeath(revision, cause, deaths));
  return 'marked';
}

/**
 * The build that was lost may have been so together with an earlier attempt, which asked for it first: what
 * took both is counted with that one, if it counts at all. An orderly stop does not.
 */
const lostWithEarlierAttempt = ({ lost_build: lost }: Revision, cause: string): boolean =>
  cause === BUILD_LOST && lost !== undefined && lost.build_attempt < lost.attempt;

async function failByDeaths(deps: EngineDeps, revision: Revision, deaths: Deaths): Promise<void> {
  const message = messageOfDeaths(deaths, revision.restart?.cause);
  if (hasBuild(revision)) await stopBuild(deps, revision, message);
  await write(deps.table, recordLastDeath(revision, deaths, message));
}

/** Whoever reads the log sees why it begins again; nothing else needs the note. */
async function note({ logs, clock }: EngineDeps, slotRevision: Revision, attempt: number): Promise<void> {
  const type = stageNow(slotRevision) === 'deploy' ? 'deploy' : 'build';
  const { level, message } = isUnstarted(slotRevision)
    ? ({
        level: 'INFO',
        message: `No builder became free; the build waits again (attempt ${attempt}).`,
      } as const)
    : ({
        level: 'WARNING',
        message: `The control plane stopped while this was at work; it goes on (attempt ${attempt}).`,
      } as const);
  const line = { timestamp: clock.now(), level, message };
  await logs.append({ ...refOf(slotRevision), type }, [line]).catch(() => undefined);
}
