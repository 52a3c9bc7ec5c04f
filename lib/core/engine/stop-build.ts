import { write } from '../../store/dynamodb/write.ts';
import type { Revision } from '../items/items.ts';
import type { EngineDeps } from './load.ts';
import { noteStopReason } from './transactions/outcomes.ts';

/**
 * Stops the build of a revision, if it has one, before its failure is recorded: the next revision must not
 * build beside it.
 */
export async function stopBuild(deps: EngineDeps, revision: Revision, reason: string): Promise<void> {
  const { build_id: buildId } = revision;
  if (buildId === undefined) return;
  // First the reason: the build itself will say no more than that it was stopped.
  await write(deps.table, noteStopReason(revision, reason));
  await deps.builds.stop(buildId);
}
