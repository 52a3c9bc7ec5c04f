import { setImmediate } from 'node:timers/promises';
import { matcherOf, type Steps, TooManySteps } from '../../domain/path-globs.ts';

/** A second of work at most: the push is built then. */
const STEPS_MAX = 50_000_000;
/** Some ten milliseconds of work, after which everybody else has a turn; of one path, which has none, twice that. */
const STEPS_A_TURN = 1_000_000;
const STEPS_A_PATH = 2 * STEPS_A_TURN;

/** Whether a push touches one of a deployment's paths; `unknown`: why that cannot be told. */
export type Touched = 'yes' | 'no' | { unknown: string };

/** Holds the paths that changed against globs. `changed` undefined: nobody could find them out. */
export async function touchedPaths(
  globs: readonly string[],
  changed: readonly string[] | undefined,
): Promise<Touched> {
  if (globs.length === 0) return 'yes';
  if (changed === undefined)
    return {
      unknown: 'which paths changed since the last commit that was considered could not be found out',
    };
  const matches = matcherOf(globs);
  if ('problem' in matches) return { unknown: matches.problem };
  const steps: Steps = { count: 0, max: STEPS_MAX };
  let turnEnds = STEPS_A_TURN;
  try {
    for (const path of changed) {
      steps.max = Math.min(STEPS_MAX, steps.count + STEPS_A_PATH);
      if (matches(path, steps)) return 'yes';
      if (steps.count < turnEnds) continue;
      turnEnds = steps.count + STEPS_A_TURN;
      await setImmediate();
    }
    return 'no';
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return { unknown: `${changed.length} paths that changed are too many to hold against them` };
  }
}
