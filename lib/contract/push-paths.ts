import * as z from 'zod';
import { GLOBS_WRITTEN_OUT_MAX, readGlob, TOO_MANY } from './path-globs.ts';
import { textRule } from './validation/problems.ts';

/** Globs of paths, of which a push has to touch one to be built. */

const GLOBS_MAX = 20;
const GLOB_LENGTH_MAX = 128;
const GLOBSTARS_MAX = 2;
const WILDCARDS_A_SEGMENT_MAX = 3;

/** What is wrong with a glob, in words for the client; undefined: nothing. */
export function globProblem(glob: string): string | undefined {
  if (/[\p{Cc}\\]/u.test(glob)) return 'a path contains no backslash or control characters';
  if (/[()|]|^!/.test(glob)) return "a path has no patterns but '*', '**', '?', '[…]' and '{…}'";
  if (glob.startsWith('/')) return 'a path is relative to the root of the repository';
  if (glob.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return "a path has no empty parts, no '.' and no '..'";
  const segments = glob.split('/');
  if (segments.filter((part) => part === '**').length > GLOBSTARS_MAX)
    return `a path has at most ${GLOBSTARS_MAX} '**'`;
  const wildcards = segments.map((part) => (part === '**' ? 0 : (part.match(/[*?[{]/g)?.length ?? 0)));
  return Math.max(...wildcards) > WILDCARDS_A_SEGMENT_MAX
    ? `a part of a path has at most ${WILDCARDS_A_SEGMENT_MAX} wildcards`
    : undefined;
}

export const pushPaths = z
  .array(z.string().min(1).max(GLOB_LENGTH_MAX).superRefine(textRule(globProblem)))
  .max(GLOBS_MAX);

/**
 * What else is wrong with globs, which earlier releases have taken: one that cannot be read, by its place in
 * the list, or all together. Empty: nothing.
 */
export function readingProblems(globs: readonly string[]): { index?: number; problem: string }[] {
  const read = globs.map(readGlob);
  const problems = read.flatMap((each, index) =>
    'problem' in each ? [{ index, problem: each.problem }] : [],
  );
  const count = read.reduce((sum, each) => sum + ('globs' in each ? each.globs.length : 0), 0);
  if (problems.length > 0) return problems;
  return count > GLOBS_WRITTEN_OUT_MAX ? [{ problem: TOO_MANY }] : [];
}
