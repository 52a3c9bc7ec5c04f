import { setImmediate } from 'node:timers/promises';
import {
  GLOBS_WRITTEN_OUT_MAX,
  type Glob,
  type GlobPart,
  type GlobPlace,
  readGlob,
  TOO_MANY,
} from '../../contract/path-globs.ts';

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

/**
 * Counts comparisons of characters and parts. `max`: after so many a match is given up with
 * `TooManySteps`: paths and globs are chosen by others, and nobody else may wait for them.
 */
export type Steps = { count: number; max: number };

export class TooManySteps extends Error {
  constructor() {
    super('the paths take too many comparisons');
    this.name = 'TooManySteps';
  }
}

/**
 * Makes a test whether a path fits one of the globs; `problem`: why they cannot be held against paths. A glob
 * that cannot be read, which an earlier release may have stored, fits itself alone, as it did there. The
 * steps of a match grow as the length of the path does, and as that of the globs.
 */
export function matcherOf(
  globs: readonly string[],
): ((path: string, steps: Steps) => boolean) | { problem: string } {
  const read: Glob[] = [];
  for (const glob of globs) {
    const found = readGlob(glob);
    if ('globs' in found) read.push(...found.globs);
    else if (found.problem === TOO_MANY) return found;
    if (read.length > GLOBS_WRITTEN_OUT_MAX) return { problem: TOO_MANY };
  }
  const texts = new Set(globs);
  return (path, steps) => {
    if (texts.has(path)) return true;
    const parts = path.split('/');
    step(steps, path.length);
    return read.some((glob) => fits(glob.parts, parts, steps));
  };
}

function step(steps: Steps, by = 1): void {
  steps.count += by;
  if (steps.count > steps.max) throw new TooManySteps();
}

/**
 * Two pointers: after a `**` the parts behind it are tried at each place in turn. A later `**` lets go of the
 * one before, so nothing is tried in combinations.
 */
function fits(glob: readonly GlobPart[], path: readonly string[], steps: Steps): boolean {
  let [at, inGlob] = [0, 0];
  let again: { at: number; inGlob: number } | undefined;
  while (at < path.length) {
    step(steps);
    const part = glob[inGlob];
    if (part === '**') {
      inGlob += 1;
      again = { at, inGlob };
    } else if (part?.some((places) => fitsPart(places, path[at] ?? '', steps)) === true) {
      at += 1;
      inGlob += 1;
    } else if (again === undefined) return false;
    else {
      again.at += 1;
      ({ at, inGlob } = again);
    }
  }
  return glob.slice(inGlob).every((part) => part === '**');
}

/** The same within a part, where `*` is what `**` is between parts. */
function fitsPart(places: readonly GlobPlace[], text: string, steps: Steps): boolean {
  let [at, inPlaces] = [0, 0];
  let again: { at: number; inPlaces: number } | undefined;
  while (at < text.length) {
    step(steps);
    const place = places[inPlaces];
    const character = text.codePointAt(at) ?? 0;
    if (place === 'star') {
      inPlaces += 1;
      again = { at, inPlaces };
    } else if (place !== undefined && takes(place, character)) {
      at += widthOf(character);
      inPlaces += 1;
    } else if (again === undefined) return false;
    else {
      again.at += widthOf(text.codePointAt(again.at) ?? 0);
      ({ at, inPlaces } = again);
    }
  }
  return places.slice(inPlaces).every((place) => place === 'star');
}

const widthOf = (character: number): number => (character > 0xffff ? 2 : 1);

function takes(place: Exclude<GlobPlace, 'star'>, character: number): boolean {
  if (typeof place === 'number') return place === character;
  if (place === 'any') return true;
  return place.ranges.some(([from, to]) => from <= character && character <= to) !== place.isNot;
}
