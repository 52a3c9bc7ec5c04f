import { isDeepStrictEqual } from 'node:util';
import { refuse, ValidationError } from '../../../contract/errors.ts';
import { readingProblems } from '../../../contract/push-paths.ts';
import type { Source } from '../../../contract/revision-status.ts';
import { sourceKinds } from '../../../domain/source.ts';

const LOC = ['body', 'source_config', 'push_paths'];

/**
 * Refuses paths where nothing is pushed to, and globs that cannot be read. What is stored already is never
 * refused, so that what a GET answered can be sent back; an empty list clears it.
 */
export function checkPushPaths(
  source: Source,
  asked: readonly string[] | undefined,
  stored: readonly string[] | undefined,
): void {
  if (asked === undefined || asked.length === 0 || isDeepStrictEqual(asked, stored)) return;
  if (!sourceKinds[source].isWatched) {
    throw refuse('source_configuration', {
      reason: `'push_paths' does not go with source '${source}': nobody pushes commits to it.`,
    });
  }
  const items = readingProblems(asked).map(({ index, problem }) => ({
    loc: index === undefined ? LOC : [...LOC, index],
    type: 'value_error',
    msg: `Value error, ${problem}`,
    input: index === undefined ? asked : asked[index],
  }));
  if (items.length > 0) throw new ValidationError(items);
}
