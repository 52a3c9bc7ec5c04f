import type { LogLine } from '../../adapters/logs.ts';
import { guessLevel } from '../../contract/log-level.ts';
import { createMask, type Mask } from '../../contract/mask.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import { linesOf, withColoursAlone, withoutSequences } from '../../contract/terminal-text.ts';
import type { Deps } from '../../core/deps.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { secretValues, sharedValues } from '../../core/secrets.ts';
import { cleanMessage, levelOfOutput } from '../../domain/log-line.ts';

/** A piece of output as it was collected: one line, or several that came at once. Epoch milliseconds. */
export type OutputPiece = { timestamp: number; message: string };

/** What the build service says of its own phases, around what the builder prints. */
const ofTheService = /^\[Container\] \d{4}\/\d{2}\/\d{2} /;
/** What image builds print before each line: the step's number, and since when it has run. */
const imageBuildPrefix = /^#\d+ (?:\d+\.\d+ )?/;
/**
 * The builder begins with it when it tells a cause; as a level it need not stand in the line too, which is
 * then the status message's.
 */
const levelWord = /^ERROR: /;

/**
 * Adds output of a revision's build to its build log, with the stored values of its secrets replaced. False
 * when there is no such revision (any more): then nothing is kept.
 */
export async function ingestBuildLog(
  deps: Pick<Deps, 'table' | 'keys' | 'logs'>,
  ref: RevisionRef,
  pieces: readonly OutputPiece[],
): Promise<boolean> {
  const revision = await findRevision(deps.table, ref);
  if (revision === undefined) return false;
  const mask = createMask(await secretValues(deps, ref, revision));
  await deps.logs.append(
    { ...ref, type: 'build' },
    pieces.flatMap((piece) => buildLinesOf(piece, mask)),
  );
  return true;
}

function buildLinesOf({ timestamp, message }: OutputPiece, mask: Mask): LogLine[] {
  return linesOf(message)
    .filter((line) => !ofTheService.test(line))
    .map((line) => {
      const text = withoutSequences(line).replace(imageBuildPrefix, '');
      const shown = mask(withColoursAlone(line)).replace(levelWord, '');
      return { timestamp, level: levelOfOutput(text), message: cleanMessage(shown) };
    });
}

/**
 * Adds what servers of a revision printed to its deploy log, with the values of their environment replaced.
 * False when there is no such revision (any more): then nothing is kept. Nor is what comes once it has
 * failed, for the last line of its log says why. Throws where it is not known what must be replaced.
 */
export async function ingestServerOutput(
  deps: Pick<Deps, 'table' | 'keys' | 'logs' | 'agentSecrets'>,
  ref: RevisionRef,
  pieces: readonly OutputPiece[],
): Promise<boolean> {
  const revision = await findRevision(deps.table, ref);
  if (revision === undefined) return false;
  if (revision.status === 'DEPLOY_FAILED') return true;
  const [own, shared] = await Promise.all([secretValues(deps, ref, revision), sharedValues(deps)]);
  const mask = createMask([...own, ...shared]);
  await deps.logs.append(
    { ...ref, type: 'deploy' },
    pieces.flatMap((piece) => serverLinesOf(piece, mask)),
  );
  return true;
}

/** Lines as the listeners make them. */
const serverLinesOf = ({ timestamp, message }: OutputPiece, mask: Mask): LogLine[] =>
  linesOf(message).map((text) => {
    const line = withoutSequences(text);
    return { timestamp, level: guessLevel(line), message: mask(line) };
  });
