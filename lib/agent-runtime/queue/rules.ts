import { isNull, membersOf } from '../tables/raw-json.ts';
import type { CancelAction, Json } from '../tables/rows.ts';
import type { GraphWorker, RunInHand } from './port.ts';

/** A lease lasts so long without a beat. Whoever holds none for so long has lost its runs. */
export const LEASE_MILLISECONDS = 10_000;
export const BEAT_MILLISECONDS = 3_000;

/**
 * A graph whose lease cannot be renewed is stopped so long before it ends, so that none runs twice at once.
 */
export const LEASE_MARGIN_MILLISECONDS = 2_000;

/** So many times may its process die in one and the same step of a run. */
export const FAILURES_MAX = 3;

/** A run as its claim found it. */
export type ClaimedRun = RunInHand & {
  readonly cancel: CancelAction | null;
  readonly failures: number;
  readonly lastFailure: string | null;
  readonly resumable: boolean;
  /** Since its first claim. */
  readonly runningSeconds: number;
};

export type Verdict =
  | { readonly kind: 'run' }
  /** Cancelled while nobody had it in hand, after it had begun. */
  | { readonly kind: 'cancelled'; readonly action: CancelAction }
  /**
   * Ends as an error. Its thread's state is asked of the worker, unless that has another graph and would not
   * know it.
   */
  | { readonly kind: 'refused'; readonly error: Json; readonly snapshot: 'ask' | 'keep' };

const errorOf = (error: string, message: string): Json => JSON.stringify({ error, message });

/** What whoever has claimed a run does with it. */
export function verdictOf(run: ClaimedRun, { graphs }: GraphWorker['hello']): Verdict {
  if (run.cancel !== null) return { kind: 'cancelled', action: run.cancel };
  if (run.failures >= FAILURES_MAX) {
    const message = `The process of this run has ended ${run.failures} times in the same step, at last so: ${run.lastFailure ?? 'unknown'}. Mend what ends it, and start the run again.`;
    return { kind: 'refused', error: errorOf('ProcessFailure', message), snapshot: 'ask' };
  }
  const graph = graphs[run.graphId];
  if (graph === undefined) {
    const message = `Revision ${run.revisionId} has no graph '${run.graphId}'; it has: ${Object.keys(graphs).sort().join(', ')}.`;
    return { kind: 'refused', error: errorOf('GraphNotFound', message), snapshot: 'keep' };
  }
  const missing = missingNode(run, graph);
  if (missing === undefined) return { kind: 'run' };
  const message = `The thread goes on at node '${missing}', which revision ${run.revisionId} has not. Deploy a revision that has it, or start anew with an input.`;
  return { kind: 'refused', error: errorOf('NodeNotFound', message), snapshot: 'keep' };
}

/**
 * The first node at which the run would go on and that the graph has not: LangGraph would end it as a success
 * without that step. A new input does not go on: it begins at the graph's start. What cannot be told from the
 * thread's row is left to the worker, which looks at the checkpoint itself before the graph begins.
 */
function missingNode(
  run: ClaimedRun,
  { nodes, varies = false }: GraphWorker['hello']['graphs'][string],
): string | undefined {
  if (nodes === null || varies || !goesOnFromNewest(run)) return undefined;
  return missingOf(run.threadNext, nodes)[0];
}

/** Of the nodes at which a thread goes on those that a graph has not. */
export const missingOf = (next: readonly string[], nodes: readonly string[]): string[] =>
  next.filter((path) => !hasNode(nodes, path));

/** Whether a graph has `node`, or `parent:node` if it shows the nodes of the graph inside `parent`. */
function hasNode(nodes: readonly string[], path: string): boolean {
  const [root = '', ...inside] = path.split(':');
  // Names that begin so are LangGraph's own, like `__start__`.
  if (root.startsWith('__')) return true;
  const isShown = inside.length > 0 && nodes.some((node) => node.startsWith(`${root}:`));
  return isShown ? nodes.includes(path) : nodes.includes(root);
}

/** A run that names a checkpoint goes on from that, whatever comes next in its thread's row. */
function goesOnFromNewest({ kwargs }: ClaimedRun): boolean {
  const members = membersOf(kwargs);
  if (isNull(members.get('command')) && !isNull(members.get('input'))) return false;
  const configurable = membersOf(membersOf(members.get('config') ?? '{}').get('configurable') ?? '{}');
  return isNull(configurable.get('checkpoint_id'));
}

/** The error of a run that took longer than `seconds`. */
export const timeoutError = (seconds: number): Json =>
  errorOf(
    'TimeoutError',
    `The run took longer than ${seconds} seconds. Raise BG_JOB_TIMEOUT_SECS, or make it shorter.`,
  );
