import type { LogStream } from '../../adapters/logs.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Revision } from '../../core/items/items.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { findThreads } from '../../core/items/threads.ts';
import { isTerminal, stageOf } from '../../domain/transitions.ts';
import type { LogEnd } from './shape.ts';

/**
 * How the log of a revision ended, once nothing more is written to it and what was on its way has come;
 * undefined while lines may follow. Lines that are read after this are all of them.
 *
 * The log of a build ends with the build. That of a deploy ends with the revision, unless it was deployed:
 * then its server goes on printing until another revision serves, what was in flight is finished, and no
 * thread is left in this one.
 */
export async function endOfLog(
  deps: Pick<Deps, 'table' | 'clock' | 'logs'>,
  ref: RevisionRef,
  type: LogStream['type'],
): Promise<LogEnd | undefined> {
  const revision = await findRevision(deps.table, ref);
  if (revision === undefined) return undefined;
  const last = type === 'build' ? whenBuilt(revision) : await whenOver(deps, ref, revision);
  const isOver = last !== undefined && Date.parse(last) + deps.logs.lagMilliseconds <= deps.clock.now();
  return isOver ? { status: revision.status } : undefined;
}

/** When the revision left its build behind. */
const whenBuilt = ({ history }: Revision): string | undefined =>
  history.find(({ status }) => {
    const stage = stageOf(status);
    return stage === 'deploy' || stage === undefined;
  })?.at;

async function whenOver(
  { table }: Pick<Deps, 'table'>,
  ref: RevisionRef,
  { status, history }: Revision,
): Promise<string | undefined> {
  if (!isTerminal(status)) return undefined;
  return status === 'DEPLOYED' ? whenReplaced(table, ref, history.at(-1)?.at) : history.at(-1)?.at;
}

/**
 * When a server that was replaced has finished what it had to; undefined while it may run. `deployed`: for
 * one that nothing replaced, as its deployment is gone.
 */
async function whenReplaced(
  table: Deps['table'],
  ref: RevisionRef,
  deployed: string | undefined,
): Promise<string | undefined> {
  const deployment = await findDeployment(table, ref.tenantId, ref.deploymentId);
  const serving = deployment?.active?.revision_id;
  if (serving === ref.revisionId || (await hasThreads(table, ref))) return undefined;
  if (serving === undefined) return deployed;
  const replaced = (await findRevision(table, { ...ref, revisionId: serving }))?.history.at(-1)?.at;
  if (replaced === undefined) return deployed;
  const drainMilliseconds = (deployment?.config.drain_seconds ?? 0) * 1000;
  return new Date(Date.parse(replaced) + drainMilliseconds).toISOString();
}

async function hasThreads(table: Deps['table'], ref: RevisionRef): Promise<boolean> {
  const threads = await findThreads(table, ref);
  return (threads?.revisions ?? []).some(
    ({ revision_id, runs, waiting }) => revision_id === ref.revisionId && runs + waiting > 0,
  );
}
