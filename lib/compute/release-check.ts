import {
  findLost,
  type GraphNodes,
  type ReleaseFinding,
  type Standing,
  type ThreadState,
} from '../domain/release-check.ts';

/**
 * An answer of an agent server; `body`: what its JSON holds, undefined where it holds none or is longer than
 * whoever asks reads.
 */
export type ServerAnswer = { status: number; body: unknown };

/** Asks an agent server. Rejects when it does not answer. */
export type AskServer = (
  method: 'GET' | 'POST',
  path: string,
  body: object | undefined,
  signal: AbortSignal,
) => Promise<ServerAnswer>;

export type ReleaseServers = {
  /** The one that serves; undefined: it is down, or not to be reached. */
  serving: AskServer | undefined;
  next: AskServer | undefined;
  /** The agent that serves has an auth of its own: that it shows nothing says nothing. */
  hasOwnAuth?: boolean;
};

/** The longest that a release waits for the answer. */
const CHECK_MILLISECONDS = 30_000;
const PAGE = 100;
/** More threads than these are not looked at. */
const THREADS_MAX = 1000;
/** As many states are asked for at once. */
const AT_ONCE = 8;
/** Graphs inside graphs are followed so deep. */
const DEPTH_MAX = 8;

/** What could not be asked, as the end of a sentence. */
class NotKnown extends Error {}

/**
 * Asks the server that serves which threads wait or are busy, and where, and the new one which nodes it has.
 * Whatever cannot be asked makes the finding unknown; nothing is thrown but the reason of `signal`.
 */
export async function checkRelease(
  { serving, next, hasOwnAuth = false }: ReleaseServers,
  signal: AbortSignal,
  withinMilliseconds = CHECK_MILLISECONDS,
): Promise<ReleaseFinding> {
  const timeout = AbortSignal.timeout(withinMilliseconds);
  const within = AbortSignal.any([signal, timeout]);
  try {
    if (serving === undefined) throw new NotKnown('the version that served cannot be asked');
    const threads = await threadsOf(serving, within);
    if (threads.length === 0 && hasOwnAuth)
      throw new NotKnown("the agent's own auth decides which threads are shown, and shows none here");
    if (threads.length === 0) return { kind: 'nothing' };
    const standing = (await inTurns(threads, (thread) => standingOf(serving, thread, within))).flat();
    if (next === undefined) throw new NotKnown('the new version cannot be asked for its nodes');
    const ids = [...new Set(standing.map(({ graphId }) => graphId))];
    const graphs = new Map(
      await inTurns(ids, async (id): Promise<[string, GraphNodes]> => [id, await nodesOf(next, id, within)]),
    );
    return findLost(standing, (id) => graphs.get(id) ?? 'unknown');
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      return { kind: 'unknown', why: `it took longer than ${withinMilliseconds / 1000} s to ask` };
    if (error instanceof NotKnown) return { kind: 'unknown', why: error.message };
    return { kind: 'unknown', why: 'the agent server gave no answer' };
  }
}

/** Maps all, some at a time. */
async function inTurns<T, R>(all: readonly T[], of: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(of))));
  return done;
}

type Thread = { id: string; graphId: string; state: ThreadState };

async function threadsOf(ask: AskServer, signal: AbortSignal): Promise<Thread[]> {
  const found: Thread[] = [];
  for (const state of ['interrupted', 'busy'] as const) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await pageOf(ask, { state, offset }, signal);
      found.push(...page.map((thread) => threadOf(thread, state)));
      if (found.length > THREADS_MAX)
        throw new NotKnown(`more than ${THREADS_MAX} threads wait or are busy, and no more are looked at`);
      if (page.length < PAGE) break;
    }
  }
  return found;
}

async function pageOf(
  ask: AskServer,
  { state, offset }: { state: ThreadState; offset: number },
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  // Their values may be long, and are not looked at.
  const select = ['thread_id', 'status', 'metadata'];
  const body = { status: state, limit: PAGE, offset };
  const first = await ask('POST', '/threads/search', { ...body, select }, signal);
  // An older server may not know the word.
  const answer =
    first.status === 400 || first.status === 422 ? await ask('POST', '/threads/search', body, signal) : first;
  if (answer.status === 401 || answer.status === 403)
    throw new NotKnown('the agent asks for credentials of its own before it shows its threads');
  if (answer.status === 200 && isList(answer.body)) return answer.body;
  throw new NotKnown(`POST /threads/search answers ${answer.status}, and no list of threads`);
}

function threadOf(thread: unknown, state: ThreadState): Thread {
  const id = textIn(thread, 'thread_id');
  // One without a graph has no run that could wait.
  const graphId = textIn(memberOf(thread, 'metadata'), 'graph_id');
  if (id === undefined || graphId === undefined)
    throw new NotKnown('a thread that waits does not say which graph it is of');
  return { id, graphId, state };
}

/** Where a thread goes on; in several places, if it does several things at once. */
async function standingOf(
  ask: AskServer,
  { id, graphId, state }: Thread,
  signal: AbortSignal,
): Promise<Standing[]> {
  const path = `/threads/${encodeURIComponent(id)}/state?subgraphs=true`;
  const { status, body } = await ask('GET', path, undefined, signal);
  // It was deleted meanwhile.
  if (status === 404) return [];
  if (status !== 200) throw new NotKnown(`the state of a thread that waits answers ${status}`);
  return pathsIn(body, 1).map((nodes) => ({ graphId, state, path: nodes }));
}

/** The paths to the nodes that come next. */
function pathsIn(state: unknown, depth: number): string[][] {
  const next = memberOf(state, 'next');
  if (!Array.isArray(next))
    throw new NotKnown('the state of a thread that waits does not say what comes next');
  const tasks = memberOf(state, 'tasks');
  return next.filter(isText).flatMap((node) => {
    const inside =
      Array.isArray(tasks) && depth < DEPTH_MAX ? tasks.filter((task) => textIn(task, 'name') === node) : [];
    const deeper = inside.flatMap((task) => {
      const own = memberOf(task, 'state');
      return Array.isArray(memberOf(own, 'next')) ? pathsIn(own, depth + 1) : [];
    });
    return deeper.length === 0 ? [[node]] : deeper.map((rest) => [node, ...rest]);
  });
}

async function nodesOf(ask: AskServer, graphId: string, signal: AbortSignal): Promise<GraphNodes> {
  const path = `/assistants/${encodeURIComponent(graphId)}/graph`;
  const opened = await ask('GET', `${path}?xray=true`, undefined, signal);
  // A graph that cannot be drawn with what is inside it still has nodes.
  const { status, body } =
    opened.status === 200 || opened.status === 404 ? opened : await ask('GET', path, undefined, signal);
  if (status === 404) return 'absent';
  const nodes = memberOf(body, 'nodes');
  if (status !== 200 || !Array.isArray(nodes)) return 'unknown';
  return new Set(nodes.flatMap((node) => textIn(node, 'id') ?? []));
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string';

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

function textIn(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return isText(member) ? member : undefined;
}
