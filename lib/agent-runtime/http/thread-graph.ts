import { callBuild } from '../queue/calls.ts';
import type { WorkerOp } from '../queue/port.ts';
import { snapshotOf } from '../queue/snapshot.ts';
import { membersOf, objectOf } from '../tables/raw-json.ts';
import type { Json, ThreadRow } from '../tables/rows.ts';
import { getThread, noteState } from '../tables/threads.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';

/**
 * The build that alone may go on with a thread; undefined: the serving one, whose graphs would say of any
 * other thread that nothing is left to do.
 */
export const buildElsewhere = ({ server }: Agent, thread: ThreadRow): string | undefined =>
  (thread.waits || thread.status === 'busy') && thread.build_id !== null && thread.build_id !== server.buildId
    ? thread.build_id
    : undefined;

/** Another build is started for what is asked of it, which takes as long as its graphs take to load. */
const CALL_MILLISECONDS = 60_000;

/** Asks the graphs that alone may go on with the thread. */
export async function ask(
  agent: Agent,
  thread: ThreadRow,
  op: WorkerOp,
  more: readonly (readonly [string, Json])[],
): Promise<Json> {
  const args = argsOf(agent, thread, more);
  const buildId = buildElsewhere(agent, thread);
  if (buildId === undefined) return agent.worker.call(op, args);
  return callBuild(agent, { buildId, op, args }, CALL_MILLISECONDS);
}

const argsOf = (agent: Agent, thread: ThreadRow, more: readonly (readonly [string, Json])[]): Json =>
  objectOf([
    ['graph_id', JSON.stringify(graphOf(agent, thread))],
    ['thread_id', JSON.stringify(thread.thread_id)],
    ...more,
  ]);

/** The graph of a thread's runs; before there is one, which its metadata name. Throws a 400. */
function graphOf({ worker }: Agent, { graph_id: graphId, thread_id: id, metadata }: ThreadRow): string {
  if (graphId !== null) return graphId;
  const named: unknown = JSON.parse(membersOf(metadata).get('graph_id') ?? 'null');
  if (named === null)
    throw new HttpError(
      400,
      `Thread ${id} has no graph yet: start a run on it first, or name one in its metadata (graph_id).`,
    );
  if (typeof named === 'string' && Object.hasOwn(worker.hello.graphs, named)) return named;
  const has = Object.keys(worker.hello.graphs).sort().join(', ');
  throw new HttpError(400, `Thread ${id} is of graph ${JSON.stringify(named)}, which is none of: ${has}.`);
}

/**
 * Gives a new thread the steps that it has had elsewhere, as they were written there. Throws what the graph
 * says of them.
 */
export async function applySupersteps(agent: Agent, thread: ThreadRow, supersteps: Json): Promise<ThreadRow> {
  await ask(agent, thread, 'bulk', [['supersteps', supersteps]]);
  await noteSnapshot(agent, thread);
  return getThread(agent.database, thread.thread_id);
}

/** Writes how a thread stands after its state was changed. */
export async function noteSnapshot(agent: Agent, thread: ThreadRow): Promise<void> {
  const snapshot = snapshotOf(await ask(agent, thread, 'snapshot', []));
  const { thread_id: threadId } = thread;
  await noteState(agent.database, { threadId, graphId: graphOf(agent, thread) }, snapshot);
}
