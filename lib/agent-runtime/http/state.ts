import * as z from 'zod';
import { itemsOf, membersOf, objectOf } from '../tables/raw-json.ts';
import type { Json, ThreadRow } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import { anObject, bodyOf, type Call, countIn, flagIn, type Handler, json, selection } from './request.ts';
import { ask, buildElsewhere, noteSnapshot } from './thread-graph.ts';
import { threadIn } from './threads.ts';
import { listOf } from './views.ts';

/** The state of a thread that no run has had. */
const EMPTY =
  '{"values":{},"next":[],"tasks":[],"metadata":null,"created_at":null,"checkpoint":null,"parent_checkpoint":null,"interrupts":[],"checkpoint_id":null,"parent_checkpoint_id":null}';

const checkpoint = z.object({
  thread_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_id: z.string().nullish(),
  checkpoint_map: anObject.nullish(),
});

async function stateOf(
  agent: Agent,
  thread: ThreadRow,
  { checkpoint: named, subgraphs }: { checkpoint?: Json; subgraphs: boolean },
): Promise<Json> {
  if (thread.graph_id === null) return EMPTY;
  const isPinned = buildElsewhere(agent, thread) !== undefined && thread.status !== 'busy';
  // The state as it was when it began to wait. Of graphs inside it says only where theirs is.
  if (isPinned && named === undefined && thread.state !== null && !(subgraphs && hasInner(thread.state)))
    return thread.state;
  const more: [string, Json][] = [['subgraphs', JSON.stringify(subgraphs)]];
  if (named !== undefined) more.push(['checkpoint', named]);
  return ask(agent, thread, 'state', more);
}

/** Only the fields of a state that a client has selected, if it has; `values.name`: one of its values. */
function picked(state: Json, select: readonly string[] = []): Json {
  if (select.length === 0) return state;
  const members = membersOf(state);
  const values = select.flatMap((name) => (name.startsWith('values.') ? [name.slice('values.'.length)] : []));
  if (values.length > 0 && !select.includes('values')) {
    const kept = [...membersOf(members.get('values') ?? '{}')].filter(([name]) => values.includes(name));
    members.set('values', objectOf(kept));
  }
  const names = values.length > 0 ? [...select, 'values'] : select;
  return objectOf([...members].filter(([name]) => names.includes(name)));
}

const inner = z.looseObject({ tasks: z.array(z.looseObject({ checkpoint: z.unknown() })) });

/** Whether a task of a state is a graph with a state of its own. */
function hasInner(state: Json): boolean {
  const known = inner.safeParse(JSON.parse(state));
  return known.success && known.data.tasks.some(({ checkpoint: own }) => own !== null && own !== undefined);
}

const getHandler: Handler = async (agent, call) => {
  const thread = await threadIn(agent, call);
  const id = call.params.checkpoint_id;
  const named = id === undefined ? {} : { checkpoint: JSON.stringify({ checkpoint_id: id }) };
  const state = await stateOf(agent, thread, { ...named, subgraphs: flagIn(call, 'subgraphs') });
  return json(picked(state, call.query.getAll('select')));
};

const atCheckpoint = z.object({ checkpoint, subgraphs: z.boolean().optional(), select: selection });

const atHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, atCheckpoint);
  const thread = await threadIn(agent, call);
  const named = raw.get('checkpoint') ?? '{}';
  const state = await stateOf(agent, thread, { checkpoint: named, subgraphs: fields.subgraphs ?? false });
  return json(picked(state, fields.select));
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
  const id = fields.checkpoint_id;
  const named = id === undefined ? raw.get('checkpoint') : JSON.stringify({ checkpoint_id: id });
  const answer = await ask(agent, thread, 'update', [
    ['values', raw.get('values') ?? 'null'],
    ['as_node', JSON.stringify(fields.as_node ?? null)],
    ['checkpoint', named ?? 'null'],
  ]);
  await noteSnapshot(agent, thread);
  return json(answer);
};

const history = z.object({
  limit: z.int().min(1).max(1_000).optional(),
  before: z.union([z.string(), z.looseObject({})]).optional(),
  metadata: anObject.optional(),
  checkpoint: checkpoint.optional(),
  select: selection,
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
  const states = await ask(agent, thread, 'history', [
    ['limit', JSON.stringify(asked.limit ?? 10)],
    ['before', beforeOf(asked.before)],
    ['metadata', metadata],
    ['checkpoint', JSON.stringify(asked.checkpoint ?? null)],
  ]);
  const { select = [] } = asked;
  return select.length === 0 ? states : listOf(itemsOf(states).map((state) => picked(state, select)));
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
