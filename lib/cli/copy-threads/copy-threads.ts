import * as z from 'zod';
import { Obstacle } from '../explain.ts';
import { type AgentServer, ask, need, saidBy } from './agent-server.ts';
import {
  atOnce,
  chainOf,
  type State,
  type Superstep,
  same,
  superstepsOf,
  waitsInside,
  withGotos,
} from './supersteps.ts';

/** What has become of a thread. `stands`: with its newest state alone. */
export type Fate = 'whole' | 'stands' | 'empty' | 'there' | 'busy' | 'failed';
export type Counts = Record<Fate, number>;

const thread = z.looseObject({
  thread_id: z.string(),
  status: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Thread = z.infer<typeof thread>;

const place = z.looseObject({ checkpoint_id: z.string().nullish() }).nullish();
const state = z.looseObject({
  values: z.unknown(),
  next: z.array(z.string()),
  tasks: z.array(z.looseObject({ name: z.string(), result: z.unknown(), checkpoint: z.unknown() })),
  metadata: z.looseObject({ source: z.string().optional() }).nullish(),
  checkpoint: place,
  parent_checkpoint: place,
});

/** What is not copied, said before and after. */
export const LEFT_BEHIND =
  'Not copied: runs, ids of checkpoints, states within subgraphs, states that were left for another way, items of the store, assistants that clients made, crons. A question that waits is asked again when it is answered.';

type Copying = { from: AgentServer; to: AgentServer; say: (line: string) => void };

/**
 * Copies every thread that the key of the one server may see to the other, under its id. Says of each one
 * that was not copied why. A thread that is there already is left as it is, so that the command can be run
 * again.
 */
export async function copyThreads({ from, to, say }: Copying): Promise<Counts> {
  await need(to, 'GET', '/info');
  const total = z.number().parse(await need(from, 'POST', '/threads/count', {}));
  say(`${total} threads at ${from.url}. ${LEFT_BEHIND}`);
  const counts: Counts = { whole: 0, stands: 0, empty: 0, there: 0, busy: 0, failed: 0 };
  for await (const one of threadsOf(from)) {
    const fate = await copyOne({ from, to, say }, one);
    counts[fate] += 1;
  }
  return counts;
}

const PAGE = 100;

/** In the order of their ids, which does not change while they are read. */
async function* threadsOf(from: AgentServer): AsyncGenerator<Thread> {
  for (let offset = 0; ; offset += PAGE) {
    const asked = { limit: PAGE, offset, sort_by: 'thread_id', sort_order: 'asc' };
    const page = z.array(thread).parse(await need(from, 'POST', '/threads/search', asked));
    yield* page;
    if (page.length < PAGE) return;
  }
}

async function copyOne({ from, to, say }: Copying, one: Thread): Promise<Fate> {
  const { thread_id: id, status } = one;
  const there = await ask(to, 'GET', `/threads/${id}`);
  if (there.status === 200) {
    say(`${id}: is there already, and is left as it is`);
    return 'there';
  }
  if (there.status !== 404) throw new Obstacle(`GET ${to.url}/threads/${id}: ${saidBy(there)}`);
  if (status === 'busy') {
    say(`${id}: has a run under way; copy it when that has ended`);
    return 'busy';
  }
  const chain = chainOf(await historyOf(from, id));
  const newest = chain.at(-1);
  if (newest === undefined) return (await isMade({ to, say }, one, [])) ? 'empty' : 'failed';
  return writeState({ to, say }, one, chain, newest);
}

async function historyOf(from: AgentServer, id: string): Promise<State[]> {
  const states: State[] = [];
  for (;;) {
    const last = states.at(-1)?.checkpoint;
    const before = last === undefined ? {} : { before: { configurable: last } };
    const asked = { limit: PAGE, ...before };
    const page = z.array(state).parse(await need(from, 'POST', `/threads/${id}/history`, asked));
    states.push(...page);
    if (page.length < PAGE) return states;
  }
}

type Writing = Pick<Copying, 'to' | 'say'>;

/** Step by step where the history tells the steps and the other server comes to the same state by them, else at once. */
async function writeState(
  writing: Writing,
  one: Thread,
  chain: readonly State[],
  newest: State,
): Promise<Fate> {
  const steps = superstepsOf(chain);
  const reasons: string[] = [];
  let tried = 0;
  for await (const way of waysOf(writing.to, one, chain, steps)) {
    tried += 1;
    const reason = await tryWay(writing.to, one, way, newest);
    if (reason === undefined) {
      if (waitsInside(newest))
        writing.say(`${one.thread_id}: waits within a subgraph, which begins again when it is answered`);
      return steps !== undefined && tried <= WAYS_OF_STEPS ? 'whole' : 'stands';
    }
    reasons.push(reason);
  }
  writing.say(`${one.thread_id}: not copied: ${reasons[0] ?? 'its history does not tell what has run'}`);
  return 'failed';
}

/** As they are, and with gotos. */
const WAYS_OF_STEPS = 2;

async function* waysOf(
  to: AgentServer,
  { metadata }: Thread,
  chain: readonly State[],
  steps: Superstep[] | undefined,
): AsyncGenerator<Superstep[]> {
  if (steps !== undefined) yield* [steps, withGotos(chain, steps)];
  yield* atOnce(chain, await nodesOf(to, metadata?.['assistant_id'] ?? metadata?.['graph_id']));
}

const drawing = z.looseObject({ nodes: z.array(z.looseObject({ id: z.string() })) });

/** The nodes of a graph, but for those that LangGraph adds. */
async function nodesOf(to: AgentServer, assistant: unknown): Promise<string[]> {
  const { body } = await ask(to, 'GET', `/assistants/${encodeURIComponent(String(assistant))}/graph`);
  const nodes = drawing.safeParse(body).data?.nodes ?? [];
  return nodes.map(({ id }) => id).filter((id) => !id.startsWith('__'));
}

/** Undefined: the thread is there, and stands as it does. Else why not, and nothing is left of it. */
async function tryWay(
  to: AgentServer,
  { thread_id: id, metadata }: Thread,
  supersteps: readonly Superstep[],
  { values, next }: State,
): Promise<string | undefined> {
  const made = await ask(to, 'POST', '/threads', { thread_id: id, metadata: metadata ?? {}, supersteps });
  if (made.status >= 400) return saidBy(made);
  const copied = state.parse(await need(to, 'GET', `/threads/${id}/state`));
  const isIt = same(copied.values, values) && same([...copied.next].sort(), [...next].sort());
  if (isIt) return undefined;
  await ask(to, 'DELETE', `/threads/${id}`);
  return same(copied.values, values)
    ? `it would go on at ${JSON.stringify(copied.next)}, not at ${JSON.stringify(next)}`
    : 'its steps come to other values there';
}

async function isMade(
  { to, say }: Writing,
  { thread_id: id, metadata }: Thread,
  supersteps: readonly Superstep[],
): Promise<boolean> {
  const made = await ask(to, 'POST', '/threads', { thread_id: id, metadata: metadata ?? {}, supersteps });
  if (made.status >= 400) say(`${id}: not copied: ${saidBy(made)}`);
  return made.status < 400;
}
