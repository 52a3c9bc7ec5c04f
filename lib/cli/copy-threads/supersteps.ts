/** A state of a thread as the history of an agent server has it, as far as a copy needs it. */
export type State = {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly tasks: readonly Task[];
  readonly metadata?: { readonly source?: string | undefined } | null | undefined;
  readonly checkpoint?: Place | null | undefined;
  readonly parent_checkpoint?: Place | null | undefined;
};

type Place = { readonly checkpoint_id?: string | null | undefined };
type Task = { readonly name: string; readonly result?: unknown; readonly checkpoint?: unknown };

/** What nodes have written in one step, as `POST /threads` takes it. */
export type Superstep = { readonly updates: readonly Update[] };
type Written =
  | { readonly values: unknown }
  | { readonly command: { readonly update: unknown; readonly goto: readonly string[] } };
type Update = Written & { readonly as_node: string };

/** LangGraph's own nodes: what applies an input, what begins, and what ends. */
const INPUT = '__input__';
const START = '__start__';
const END = '__end__';

/** The newest state and those that led to it, the oldest first. What was left for another way is not among them. */
export function chainOf(history: readonly State[]): State[] {
  const byId = new Map(history.map((state) => [state.checkpoint?.checkpoint_id, state]));
  const chain: State[] = [];
  for (let state = history[0]; state !== undefined; ) {
    chain.push(state);
    const parent = state.parent_checkpoint?.checkpoint_id ?? undefined;
    if (parent === undefined) break;
    byId.delete(state.checkpoint?.checkpoint_id);
    state = byId.get(parent);
  }
  return chain.reverse();
}

/**
 * The steps that lead to a chain's newest state again. Undefined where the history does not tell them: a
 * person has changed the state, or steps between were not kept.
 */
export function superstepsOf(chain: readonly State[]): Superstep[] | undefined {
  const steps: Superstep[] = [];
  for (const [at, state] of chain.entries()) {
    const before = chain[at - 1];
    const source = state.metadata?.source;
    const step =
      source === 'input'
        ? inputOf(state, chain[at + 1])
        : source === 'loop'
          ? loopOf(before, state)
          : undefined;
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

function inputOf({ tasks }: State, after: State | undefined): Superstep | undefined {
  const start = tasks.find(({ name }) => name === START);
  if (start === undefined) return undefined;
  return { updates: [{ values: withIds(start.result, after?.values), as_node: INPUT }] };
}

function loopOf(before: State | undefined, { values }: State): Superstep | undefined {
  if (before === undefined || before.tasks.length === 0) return undefined;
  return {
    updates: before.tasks.map(({ name, result = null }) => ({
      values: withIds(result, values),
      as_node: name,
    })),
  };
}

/**
 * The same steps, with each node saying where the thread went on: some nodes choose that themselves, by a
 * command that no history tells of.
 */
export function withGotos(chain: readonly State[], steps: readonly Superstep[]): Superstep[] {
  return steps.map(({ updates }, at) => {
    const [only] = updates;
    const { next = [] } = chain[at] ?? {};
    const isNode = only !== undefined && !only.as_node.startsWith('__') && 'values' in only;
    if (!isNode || updates.length > 1 || next.length === 0) return { updates };
    return { updates: [{ command: { update: only.values, goto: next }, as_node: only.as_node }] };
  });
}

/** Whether a thread waits within a subgraph, whose own state stays behind. */
export const waitsInside = ({ tasks }: State): boolean =>
  tasks.some(({ checkpoint }) => checkpoint !== undefined && checkpoint !== null);

/**
 * Each way to write the newest state at once: as one of the nodes that ran before it, so that the thread goes
 * on where it would. `nodes`: of the graph, for a history that names none.
 */
export function atOnce(chain: readonly State[], nodes: readonly string[]): Superstep[][] {
  const newest = chain.at(-1);
  if (newest === undefined) return [];
  const { values } = newest;
  const ran = chain.flatMap(({ tasks }) => tasks.map(({ name }) => name)).reverse();
  const names = [...new Set([...ran, ...nodes])]
    .filter((name) => !newest.next.includes(name))
    .slice(0, NAMES_MAX);
  const waits = names.map((name): Superstep[] => [{ updates: [{ values, as_node: name }] }]);
  if (newest.next.length > 0) {
    const command = { update: values, goto: newest.next };
    const leading = names.filter((name) => !name.startsWith('__')).slice(0, LEADING_MAX);
    return [...waits, ...leading.map((name): Superstep[] => [{ updates: [{ command, as_node: name }] }])];
  }
  const end: Superstep = { updates: [{ values: null, as_node: END }] };
  return waits.map((steps) => [...steps, end]);
}

/** So many nodes are tried: each makes a thread and removes it. */
const NAMES_MAX = 10;
const LEADING_MAX = 3;

/**
 * What a node has written, with the ids that its messages got when the state took them: written again without
 * them they would get others.
 */
function withIds(written: unknown, after: unknown): unknown {
  if (!isObject(written) || !isObject(after)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, identified(value, after[name])]),
  );
}

function identified(value: unknown, after: unknown): unknown {
  if (!Array.isArray(after)) return value;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const tail: readonly unknown[] = after.slice(Math.max(0, after.length - items.length));
  const isThem = tail.length === items.length && items.every((item, at) => isWithoutId(item, tail[at]));
  return isThem ? tail : value;
}

/** Whether an item is a message that had no id, and the other one is what it became. */
function isWithoutId(item: unknown, became: unknown): boolean {
  if (!isObject(item) || !isObject(became)) return false;
  const hasNone = item['id'] === undefined || item['id'] === null;
  return hasNone && typeof became['id'] === 'string' && same(item['content'], became['content']);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values say the same, whatever the order of their members. */
export const same = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other);

const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) && Object.getPrototypeOf(part) !== null
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  ) ?? '';
