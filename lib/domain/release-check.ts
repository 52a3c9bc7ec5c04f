import type { OnRelease } from '../contract/deployments/on-release.ts';
import type { ReleaseRule, ResolvedRuntime } from '../contract/deployments/runtimes.ts';
import { withoutSequences } from '../contract/terminal-text.ts';
import { withBidiShown } from '../shown-text.ts';

/**
 * What a release would lose. LangGraph applies the newest graph to every thread: one that waits at a node
 * which that graph has not ends as a success, without what was still to be done.
 */

/** What happens to threads that wait at a release. Servers whose threads nobody knows of are not asked. */
export function releaseRuleOf(
  onRelease: OnRelease | null | undefined,
  runtime: ResolvedRuntime | null | undefined,
): ReleaseRule {
  if (runtime === 'durable') return onRelease?.waiting ?? 'pin';
  const usual = runtime === 'dev' || runtime === 'licensed' ? 'warn' : 'move';
  // It was set while `durable` ran the deployment: nothing else can keep threads where they are.
  return onRelease?.waiting === 'pin' ? usual : (onRelease?.waiting ?? usual);
}

export type ThreadState = 'interrupted' | 'busy';

/** Where a thread goes on: the node of its graph, and that of a graph inside it, as deep as it is known. */
export type Standing = { graphId: string; state: ThreadState; path: readonly string[] };

/** The nodes of a graph as `/assistants/{id}/graph?xray=true` names them; those of graphs inside after `:`. */
export type GraphNodes = ReadonlySet<string> | 'absent' | 'unknown';

/** So many threads stand at a place that the new revision has not; no node: it has no such graph. */
export type Lost = { graphId: string; state: ThreadState; node: string | undefined; count: number };

export type ReleaseFinding =
  | { kind: 'nothing' }
  /** `unknown`: why that may not be all, as the end of a sentence. */
  | { kind: 'lost'; lost: readonly Lost[]; unknown?: string }
  /** `why`: what could not be asked, as the end of a sentence. */
  | { kind: 'unknown'; why: string };

/**
 * The node that a graph lacks of a path; undefined: it has all that can be seen of it. A node that was drawn
 * without a graph inside may call one, whose nodes nobody is shown.
 */
function missingOf(path: readonly string[], nodes: ReadonlySet<string>): string | undefined {
  const opened = new Set(beginningsOf(nodes));
  for (let depth = 1; depth <= path.length; depth++) {
    const id = path.slice(0, depth).join(':');
    if (opened.has(id)) continue;
    return nodes.has(id) ? undefined : id;
  }
  return undefined;
}

/** `a` and `a:b` of `a:b:c`: nodes whose graph is drawn in their place. */
const beginningsOf = (nodes: ReadonlySet<string>): string[] =>
  [...nodes].flatMap((node) => {
    const parts = node.split(':');
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(':'));
  });

/**
 * What of these threads stands where the new graphs have nothing. `unseen`: why there may be more threads,
 * as the end of a sentence.
 */
export function findLost(
  standing: readonly Standing[],
  graphOf: (graphId: string) => GraphNodes,
  unseen?: string,
): ReleaseFinding {
  const lost = new Map<string, Lost>();
  let unknown = unseen;
  for (const { graphId, state, path } of standing) {
    const nodes = graphOf(graphId);
    if (nodes === 'unknown') unknown ??= nodesUnknown(graphId);
    const node = typeof nodes === 'string' ? undefined : missingOf(path, nodes);
    if (nodes === 'unknown' || (nodes !== 'absent' && node === undefined)) continue;
    const key = JSON.stringify([graphId, state, node]);
    lost.set(key, { graphId, state, node, count: (lost.get(key)?.count ?? 0) + 1 });
  }
  if (lost.size > 0)
    return { kind: 'lost', lost: [...lost.values()], ...(unknown !== undefined && { unknown }) };
  return unknown === undefined ? { kind: 'nothing' } : { kind: 'unknown', why: unknown };
}

/** That a graph is made for each run, as the end of a sentence. */
export const nodesUnknown = (graphId: string): string =>
  `the new version does not show the nodes of graph ${shown(graphId)}`;

export type Judgement = {
  /** Whether the release goes on. */
  goesOn: boolean;
  /** What people have to know; undefined: nothing. */
  message: string | undefined;
};

/** What becomes of a release by what was found. With `refuse`, what is not known counts as lost. */
export function judgeRelease(rule: ReleaseRule, finding: ReleaseFinding): Judgement {
  if (finding.kind === 'nothing' || rule === 'move') return { goesOn: true, message: undefined };
  const goesOn = rule !== 'refuse';
  const end = goesOn
    ? ''
    : ' Nothing was moved: let them end or answer them first, or set source_config.on_release to {"waiting": "move"}.';
  if (finding.kind === 'lost') {
    const more = finding.unknown === undefined ? '' : ` There may be more: ${finding.unknown}.`;
    return { goesOn, message: `${sentenceOf(finding.lost)}.${more}${end}` };
  }
  const unknown = `Whether threads wait where this revision has no node is not known: ${finding.why}.`;
  return { goesOn, message: `${unknown}${goesOn ? '' : ' on_release refuses that.'}${end}` };
}

const PLACES_MAX = 5;
const NAME_LENGTH_MAX = 80;

/** A name that user code has chosen, in a sentence of ours. */
function shown(name: string): string {
  const plain = withBidiShown(withoutSequences(name.slice(0, 4 * NAME_LENGTH_MAX))).replaceAll(
    /[\p{Cc}`]/gu,
    '?',
  );
  return `\`${plain.length > NAME_LENGTH_MAX ? `${plain.slice(0, NAME_LENGTH_MAX)}…` : plain}\``;
}

function sentenceOf(lost: readonly Lost[]): string {
  const most = lost.toSorted((one, other) => other.count - one.count);
  const named = most.slice(0, PLACES_MAX).map(partOf);
  const rest = most.length - named.length;
  return [...named, ...(rest > 0 ? [`and so it is at ${rest} more nodes`] : [])].join('; ');
}

function partOf({ graphId, state, node, count }: Lost): string {
  const threads = count === 1 ? '1 thread' : `${count} threads`;
  const does = state === 'busy' ? (count === 1 ? 'is busy' : 'are busy') : count === 1 ? 'waits' : 'wait';
  return node === undefined
    ? `${threads} ${does} in graph ${shown(graphId)}, which this revision has not`
    : `${threads} ${does} at ${shown(node)}, which this revision has not`;
}
