import * as z from 'zod';
import { callBuild } from '../queue/calls.ts';
import type { WorkerOp } from '../queue/port.ts';
import { snapshotOf } from '../queue/snapshot.ts';
import { objectOf } from '../tables/raw-json.ts';
import type { Json, ThreadRow } from '../tables/rows.ts';
import { noteState } from '../tables/threads.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import { anObject, bodyOf, type Call, countIn, flagIn, type Handler, json } from './request.ts';
import { threadIn } from './threads.ts';

/** The state of a thread that no run has had. */
const EMPTY =
  '{"values":{},"next":[],"tasks":[],"metadata":null,"created_at":null,"checkpoint":null,"parent_checkpoint":null,"interrupts":[],"checkpoint_id":null,"parent_checkpoint_id":null}';

const checkpoint = z.object({
  thread_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint_map: anObject.nullish(),
});

/** Whether another build alone may go on with the thread: this one's graphs would say that nothing is left to do. */
const isElsewhere = ({ server }: Agent, thread: ThreadRow): boolean =>
  (thread.waits || thread.status === 'busy') &&
  thread.build_id !== null &&
  thread.build_id !== server.buildId;

/** Another build is started for what is asked of it, which takes as long as its graphs take to load. */
const CALL_MILLISECONDS = 60_000;

/** Asks the graphs that alone may go on with the thread. */
async function ask(
  agent: Agent,
  thread: ThreadRow,
  op: WorkerOp,
  more: readonly (readonly [string, Json])[],
): Promise<Json> {
  const args = argsOf(thread, more);
  if (!isElsewhere(agent, thread) || thread.build_id === null) return agent.worker.call(op, args);
  return callBuild(agent, { buildId: thread.build_id, op, args }, CALL_MILLISECONDS);
}

const argsOf = (thread: ThreadRow, more: readonly (readonly [string, Json])[]): Json =>
  objectOf([
    ['graph_id', JSON.stringify(thread.graph_id)],
    ['thread_id', JSON.stringify(thread.thread_id)],
    ...more,
  ]);

async function stateOf(
  agent: Agent,
  thread: ThreadRow,
  { checkpoint: named, subgraphs }: { checkpoint?: Json; subgraphs: boolean },
): Promise<Json> {
  if (thread.graph_id === null) return EMPTY;
  if (named === undefined && isElsewhere(agent, thread)) return thread.state ?? EMPTY;
  const more: [string, Json][] = [['subgraphs', JSON.stringify(subgraphs)]];
  if (named !== undefined) more.push(['checkpoint', named]);
  return ask(agent, thread, 'state', more);
}

const getHandler: Handler = async (agent, call) => {
  const thread = await threadIn(agent, call);
  const id = call.params.checkpoint_id;
  const named = id === undefined ? {} : { checkpoint: JSON.stringify({ checkpoint_id: id }) };
  return json(await stateOf(agent, thread, { ...named, subgraphs: flagIn(call, 'subgraphs') }));
};

const atCheckpoint = z.object({ checkpoint, subgraphs: z.boolean().optional() });

const atHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, atCheckpoint);
  const thread = await threadIn(agent, call);
  const named = raw.get('checkpoint') ?? '{}';
  return json(await stateOf(agent, thread, { checkpoint: named, subgraphs: fields.subgraphs ?? false }));
};

const update = z.object({
  values: z.unknown().optional(),
  as_node: z.string().optional(),
  checkpoint: checkpoint.optional(),
  checkpoint_id: z.string().optional(),
});

const updateHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, update);
  const thread = await threadIn(agent, call, 'update');
  if (thread.status === 'busy')
    throw new HttpError(409, `Thread ${thread.thread_id} is busy: wait for its run to end, or cancel it.`);
  if (thread.graph_id === null)
    throw new HttpError(422, `Thread ${thread.thread_id} has no graph yet: start a run on it first.`);
  const id = fields.checkpoint_id;
  const named = id === undefined ? raw.get('checkpoint') : JSON.stringify({ checkpoint_id: id });
  const answer = await ask(agent, thread, 'update', [
    ['values', raw.get('values') ?? 'null'],
    ['as_node', JSON.stringify(fields.as_node ?? null)],
    ['checkpoint', named ?? 'null'],
  ]);
  const snapshot = snapshotOf(await ask(agent, thread, 'snapshot', []));
  await noteState(agent.database, thread.thread_id, snapshot);
  return json(answer);
};

const history = z.object({
  limit: z.int().min(1).max(1_000).optional(),
  before: z.union([z.string(), z.looseObject({})]).optional(),
  metadata: anObject.optional(),
  checkpoint: checkpoint.optional(),
});

/** `before` is an id, a checkpoint, or a config that names one. */
function beforeOf(before: z.infer<typeof history>['before']): Json {
  if (before === undefined) return 'null';
  if (typeof before === 'string') return JSON.stringify({ checkpoint_id: before });
  return JSON.stringify(before.configurable ?? before);
}

async function historyOf(
  agent: Agent,
  call: Call,
  asked: z.infer<typeof history>,
  metadata: Json,
): Promise<Json> {
  const thread = await threadIn(agent, call);
  if (thread.graph_id === null) return '[]';
  return ask(agent, thread, 'history', [
    ['limit', JSON.stringify(asked.limit ?? 10)],
    ['before', beforeOf(asked.before)],
    ['metadata', metadata],
    ['checkpoint', JSON.stringify(asked.checkpoint ?? null)],
  ]);
}

const historyHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, history);
  return json(await historyOf(agent, call, fields, raw.get('metadata') ?? 'null'));
};

const historyByQuery: Handler = async (agent, call) => {
  const limit = countIn(call, 'limit', { otherwise: 10, most: 1_000 });
  return json(await historyOf(agent, call, { limit, before: call.query.get('before') ?? undefined }, 'null'));
};

export const stateRoutes: readonly (readonly [string, string, Handler])[] = [
  ['GET', '/threads/:thread_id/state', getHandler],
  ['POST', '/threads/:thread_id/state', updateHandler],
  ['POST', '/threads/:thread_id/state/checkpoint', atHandler],
  ['GET', '/threads/:thread_id/state/:checkpoint_id', getHandler],
  ['POST', '/threads/:thread_id/history', historyHandler],
  ['GET', '/threads/:thread_id/history', historyByQuery],
];
