import type { Relation, SeenCommit, SeenHistory } from './repositories.ts';

/** A commit as it lies in a history; `time` orders what nothing else orders. */
export type Node = SeenCommit & { parents: readonly string[]; time: number };

/** The commits that are known of a history, by their ids. Parents of the oldest are not among them. */
export type Graph = ReadonlyMap<string, Node>;

/** What can be reached from a commit. */
function reachable(graph: Graph, from: string): Set<string> {
  const found = new Set<string>();
  const queue = [from];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const node = graph.get(id);
    if (node === undefined || found.has(id)) continue;
    found.add(id);
    queue.push(...node.parents);
  }
  return found;
}

/** How `since` lies to `head`, as far as the histories that are known tell. */
function relationOf(graph: Graph, head: string, since: string): Relation {
  if (head === since) return 'same';
  const [ofHead, ofSince] = [reachable(graph, head), reachable(graph, since)];
  if (ofHead.has(since)) return 'behind';
  if (ofSince.has(head)) return 'ahead';
  return [...ofHead].some((id) => ofSince.has(id)) ? 'diverged' : 'unknown';
}

/**
 * The commits that `head` contains and `since` does not, newest first, at most `limit`. A part of a history
 * that is not known counts as more.
 */
export function commitsBetween(
  graph: Graph,
  { head, since, limit }: { head: string; since: string | undefined; limit: number },
): SeenHistory {
  const top = graph.get(head);
  if (top === undefined) throw new Error(`commit ${head} is not in its own history`);
  const known = since === undefined ? new Set<string>() : reachable(graph, since);
  const between = [...reachable(graph, head)].filter((id) => !known.has(id));
  const nodes = between.flatMap((id) => graph.get(id) ?? []);
  const isCut = nodes.some(({ parents }) => parents.some((id) => !graph.has(id)));
  return {
    head: seenOf(top),
    commits: newestFirst(nodes).slice(0, limit).map(seenOf),
    more: nodes.length > limit || isCut,
    relation: since === undefined ? undefined : relationOf(graph, head, since),
  };
}

/** Texts may be megabytes. Far more is kept than is shown, so that what is taken out of it is found in whole. */
const TEXT_LENGTH_MAX = 2_000;

/** What a commit says of itself, with as much of its texts as is ever read. */
export const seenWords = ({ message, author, at }: Omit<SeenCommit, 'sha'>): Omit<SeenCommit, 'sha'> => ({
  message: message.slice(0, TEXT_LENGTH_MAX),
  author: author.slice(0, TEXT_LENGTH_MAX),
  at,
});

/** The same with its id. */
export const seenOf = ({ sha, ...words }: SeenCommit): SeenCommit => ({ sha, ...seenWords(words) });

/** No commit comes before one that is made on it, whatever the clocks of their makers said. */
function newestFirst(nodes: Node[]): Node[] {
  const left = new Map(nodes.map((node) => [node.sha, node]));
  const children = new Map<string, number>();
  for (const { parents } of nodes) for (const id of parents) children.set(id, (children.get(id) ?? 0) + 1);
  const ready = nodes.filter(({ sha }) => !children.has(sha));
  const sorted: Node[] = [];
  while (ready.length > 0) {
    ready.sort((one, other) => one.time - other.time);
    const [next] = ready.splice(-1);
    if (next === undefined) break;
    sorted.push(next);
    for (const id of next.parents) {
      const count = (children.get(id) ?? 0) - 1;
      children.set(id, count);
      const parent = left.get(id);
      if (count === 0 && parent !== undefined) ready.push(parent);
    }
  }
  return sorted;
}
