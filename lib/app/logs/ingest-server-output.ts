import type { LogLine } from '../../adapters/logs.ts';
import { createMask, type Mask } from '../../contract/mask.ts';
import { guessLevel } from '../../contract/output-level.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import { withoutSequences } from '../../contract/terminal-text.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import type { Deps } from '../../core/deps.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { secretValues, sharedValues } from '../../core/secrets.ts';
import type { OutputPiece } from './ingest-build-log.ts';

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
  const [own, shared] = await Promise.all([secretValues(deps, ref, revision.secrets), sharedValues(deps)]);
  const mask = createMask([...own, ...shared]);
  await deps.logs.append(
    { ...ref, type: 'deploy' },
    pieces.flatMap((piece) => linesOf(piece, mask)),
  );
  return true;
}

/** Lines as the listeners make them. */
const linesOf = ({ timestamp, message }: OutputPiece, mask: Mask): LogLine[] =>
  withoutTrailing(message, '\r\n')
    .split(/\r?\n/)
    .map((text) => {
      const line = withoutSequences(text);
      return { timestamp, level: guessLevel(line), message: mask(line) };
    });
