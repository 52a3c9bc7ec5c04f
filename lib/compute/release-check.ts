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

/** How a release asks. */
export type ReleaseCheckOptions = {
  /** Hears how far it has come when it takes long. */
  say?: (line: string) => void;
  /** The longest that a release waits for all answers, and for one of them. */
  withinMilliseconds?: number;
  answerMilliseconds?: number;
};

const CHECK_MILLISECONDS = 60_000;
const ANSWER_MILLISECONDS = 10_000;
const SAID_MILLISECONDS = 5000;
const PAGE = 100;
/** More threads than these are not looked at. */
const THREADS_MAX = 10_000;
/** As many states are asked for at once: each may be long. */
const AT_ONCE = 4;
/** Graphs inside graphs are followed so deep. */
const DEPTH_MAX = 8;

/** What could not be asked, as the end of a sentence. */
class NotKnown extends Error {}

/**
 * Asks the server that serves which threads wait or are busy, and where, and the new one which nodes it has.
 * Whatever cannot be asked makes the finding unknown, or says that there may be more than was found; nothing
 * is thrown but the reason of `signal`.
 */
export async function checkRelease(
  servers: ReleaseServers,
  signal: AbortSignal,
  options: ReleaseCheckOptions = {},
): Promise<ReleaseFinding> {
  const { withinMilliseconds = CHECK_MILLISECONDS } = options;
  const timeout = AbortSignal.timeout(withinMilliseconds);
  const found: Found = { seen: new Set(), standing: [], graphs: new Map(), unknown: undefined };
  try {
    await lookAtAll(servers, found, AbortSignal.any([signal, timeout]), options);
  } catch (error) {
    signal.throwIfAborted();
    const looked =
      found.seen.size === 0 ? '' : `, and not all of more than ${found.seen.size} threads was seen`;
    found.unknown = timeout.aborted
      ? `it took longer than ${withinMilliseconds / 1000} s to ask${looked}`
      : whyOf(error);
  }
  if (servers.hasOwnAuth === true)
    found.unknown ??= `the agent's own auth decides which threads are shown, and shows ${found.seen.size === 0 ? 'none' : found.seen.size} here`;
  return findLost(found.standing, (id) => found.graphs.get(id) ?? 'unknown', found.unknown);
}

function whyOf(error: unknown): string {
  if (error instanceof NotKnown) return error.message;
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  return isLate ? 'the agent server gave no answer in time' : 'the agent server gave no answer';
}

/** What was seen so far. */
type Found = {
  seen: Set<string>;
  standing: Standing[];
  graphs: Map<string, GraphNodes>;
  /** Why there may be more. */
  unknown: string | undefined;
};

async function lookAtAll(
  { serving, next }: ReleaseServers,
  found: Found,
  within: AbortSignal,
  { say, answerMilliseconds = ANSWER_MILLISECONDS }: ReleaseCheckOptions,
): Promise<void> {
  if (serving === undefined) throw new NotKnown('the version that served cannot be asked');
  const timed =
    (ask: AskServer): AskServer =>
    (method, path, body, signal) =>
      ask(method, path, body, AbortSignal.any([signal, AbortSignal.timeout(answerMilliseconds)]));
  let saidAt = Date.now();
  for await (const page of pagesOf(timed(serving), found, within)) {
    const standing = (
      await inTurns(page, (thread) => standingOf(timed(serving), thread, found, within))
    ).flat();
    found.standing.push(...standing);
    const isNew = (id: string) => !found.graphs.has(id);
    const ids = [...new Set(standing.map(({ graphId }) => graphId))].filter(isNew);
    if (ids.length > 0 && next === undefined)
      throw new NotKnown('the new version cannot be asked for its nodes');
    if (next !== undefined)
      await inTurns(ids, async (id) => found.graphs.set(id, await nodesOf(timed(next), id, within)));
    if (Date.now() - saidAt < SAID_MILLISECONDS) continue;
    saidAt = Date.now();
    say?.(`Asking the version that serves where threads wait: ${found.seen.size} so far.`);
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

/** Threads that wait, then those that are busy; each once, though it moves on meanwhile. */
async function* pagesOf(ask: AskServer, found: Found, signal: AbortSignal): AsyncGenerator<Thread[]> {
  const { seen } = found;
  for (const state of ['interrupted', 'busy'] as const) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await pageOf(ask, { state, offset }, signal);
      const threads = page.flatMap((thread) => threadOf(thread, state) ?? []);
      if (threads.length < page.length)
        found.unknown ??= 'a thread that waits does not say which graph it is of';
      yield threads.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (seen.size > THREADS_MAX)
        throw new NotKnown(`more than ${THREADS_MAX} threads wait or are busy, and no more are looked at`);
      if (page.length < PAGE) break;
    }
  }
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

function threadOf(thread: unknown, state: ThreadState): Thread | undefined {
  const id = textIn(thread, 'thread_id');
  const graphId = textIn(memberOf(thread, 'metadata'), 'graph_id');
  return id === undefined || graphId === undefined ? undefined : { id, graphId, state };
}

/** Where a thread goes on; in several places, if it does several things at once. */
async function standingOf(
  ask: AskServer,
  { id, graphId, state }: Thread,
  found: Found,
  signal: AbortSignal,
): Promise<Standing[]> {
  const path = `/threads/${encodeURIComponent(id)}/state?subgraphs=true`;
  const { status, body } = await ask('GET', path, undefined, signal);
  // It was deleted meanwhile.
  if (status === 404) return [];
  const paths = status === 200 ? pathsIn(body, 1) : undefined;
  // The others can be asked all the same.
  if (status !== 200) found.unknown ??= `the state of a thread that waits answers ${status}`;
  else if (paths === undefined)
    found.unknown ??= 'the state of a thread that waits is too long, or does not say what comes next';
  return (paths ?? []).map((nodes) => ({ graphId, state, path: nodes }));
}

/** The paths to the nodes that come next; undefined: it does not say. */
function pathsIn(state: unknown, depth: number): string[][] | undefined {
  const next = memberOf(state, 'next');
  if (!Array.isArray(next)) return undefined;
  const tasks = memberOf(state, 'tasks');
  return next.filter(isText).flatMap((node) => {
    const inside =
      Array.isArray(tasks) && depth < DEPTH_MAX ? tasks.filter((task) => textIn(task, 'name') === node) : [];
    const deeper = inside.flatMap((task) => pathsIn(memberOf(task, 'state'), depth + 1) ?? []);
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
