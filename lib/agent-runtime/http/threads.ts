import * as z from 'zod';
import { objectOf } from '../tables/raw-json.ts';
import type { Json, ThreadRow } from '../tables/rows.ts';
import {
  countThreads,
  createThread,
  deleteThread,
  getThread,
  searchThreads,
  type ThreadFilter,
  threadNotFound,
  updateThread,
} from '../tables/threads.ts';
import type { Agent } from './agent.ts';
import { authorize, isWithin, type Permit, searched } from './authorize.ts';
import { HttpError, lacks } from './errors.ts';
import {
  anObject,
  bodyOf,
  type Call,
  type Handler,
  idIn,
  json,
  pageOf,
  paging,
  selection,
} from './request.ts';
import { applySupersteps } from './thread-graph.ts';
import { threadView } from './views.ts';

type ThreadAction = 'read' | 'update' | 'delete' | 'create_run';

/** The thread in the path, if the project lets its client have it. Throws a 404. */
export async function threadIn(agent: Agent, call: Call, action: ThreadAction = 'read'): Promise<ThreadRow> {
  const threadId = idIn(call, 'thread_id');
  const permit = await authorize(agent, call, 'threads', action, JSON.stringify({ thread_id: threadId }));
  return threadWithin(agent, threadId, permit);
}

export async function threadWithin(agent: Agent, threadId: string, permit: Permit): Promise<ThreadRow> {
  const thread = await getThread(agent.database, threadId);
  if (!isWithin(thread.metadata, permit)) throw threadNotFound(threadId);
  return thread;
}

/** What a node has written elsewhere. */
const superstepUpdate = z.object({
  values: z.unknown().optional(),
  command: z.looseObject({}).nullish(),
  as_node: z.string().nullish(),
});

const create = z.object({
  thread_id: z.guid().optional(),
  metadata: anObject.optional(),
  if_exists: z.enum(['raise', 'do_nothing']).optional(),
  supersteps: z.array(z.object({ updates: z.array(superstepUpdate) })).optional(),
  ttl: z.unknown().optional(),
});

const createHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, create);
  if (fields.ttl !== undefined) throw lacks('ttl of threads');
  const metadata = fields.metadata === undefined ? '{}' : (raw.get('metadata') ?? '{}');
  const value = objectOf([
    ['thread_id', JSON.stringify(fields.thread_id ?? null)],
    ['metadata', metadata],
    ['if_exists', JSON.stringify(fields.if_exists ?? 'raise')],
  ]);
  const permit = await authorize(agent, call, 'threads', 'create', value);
  const { thread, existed } = await createThread(agent.database, {
    metadata: permit.value.get('metadata') ?? metadata,
    ...(fields.thread_id !== undefined && { threadId: fields.thread_id.toLowerCase() }),
  });
  if (existed && (fields.if_exists !== 'do_nothing' || !isWithin(thread.metadata, permit)))
    throw new HttpError(409, `Thread with ID ${thread.thread_id} already exists`);
  const supersteps = existed ? [] : (fields.supersteps ?? []);
  if (supersteps.length === 0) return json(threadView(thread));
  return json(threadView(await withSupersteps(agent, thread, raw.get('supersteps') ?? '[]')));
};

/** A new thread with the steps it has had elsewhere; none is left if its graph does not take them. */
async function withSupersteps(agent: Agent, thread: ThreadRow, supersteps: Json): Promise<ThreadRow> {
  try {
    return await applySupersteps(agent, thread, supersteps);
  } catch (error) {
    await deleteThread(agent.database, thread.thread_id);
    throw error;
  }
}

const search = z.object({
  ids: z.array(z.guid()).optional(),
  metadata: anObject.optional(),
  values: anObject.optional(),
  status: z.enum(['idle', 'busy', 'interrupted', 'error']).optional(),
  ...paging,
  sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at']).optional(),
  select: selection,
  extract: z.unknown().optional(),
});

type Search = { fields: z.infer<typeof search>; filter: ThreadFilter | undefined };

async function searchIn(agent: Agent, call: Call): Promise<Search> {
  const { fields, raw } = bodyOf(call, search);
  if (fields.extract !== undefined) throw lacks('extract of threads');
  const value = objectOf([
    ['metadata', fields.metadata === undefined ? '{}' : (raw.get('metadata') ?? '{}')],
    ['values', fields.values === undefined ? '{}' : (raw.get('values') ?? '{}')],
    ['status', JSON.stringify(fields.status ?? null)],
    ['limit', JSON.stringify(fields.limit ?? 10)],
    ['offset', JSON.stringify(fields.offset ?? 0)],
  ]);
  const permit = await authorize(agent, call, 'threads', 'search', value);
  const metadata = searched(permit.value.get('metadata'), permit);
  if (metadata === undefined) return { fields, filter: undefined };
  const filter = {
    metadata,
    ...(fields.ids !== undefined && { ids: fields.ids }),
    ...(fields.values !== undefined && { values: raw.get('values') ?? '{}' }),
    ...(fields.status !== undefined && { status: fields.status }),
  };
  return { fields, filter };
}

const searchHandler: Handler = async (agent, call) => {
  const { fields, filter } = await searchIn(agent, call);
  if (filter === undefined) return json('[]');
  const { limit = 10, offset = 0, sort_by: sortBy, sort_order: order } = fields;
  const rows = await searchThreads(agent.database, filter, {
    limit: limit + 1,
    offset,
    ...(sortBy !== undefined && { sortBy }),
    ...(order !== undefined && { descending: order === 'desc' }),
  });
  const items = rows.map((row) => threadView(row, fields.select));
  return pageOf(items, { limit, offset });
};

const countHandler: Handler = async (agent, call) => {
  const { filter } = await searchIn(agent, call);
  return json(String(filter === undefined ? 0 : await countThreads(agent.database, filter)));
};

const getHandler: Handler = async (agent, call) => {
  const included = call.query.get('include') ?? '';
  if (included !== '') throw lacks(`${included.slice(0, 100)} of threads (include)`);
  return json(threadView(await threadIn(agent, call)));
};

const patch = z.object({ metadata: anObject.optional(), ttl: z.unknown().optional() });

const patchHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, patch);
  if (fields.ttl !== undefined) throw lacks('ttl of threads');
  const metadata = fields.metadata === undefined ? '{}' : (raw.get('metadata') ?? '{}');
  const threadId = idIn(call, 'thread_id');
  const value = objectOf([
    ['thread_id', JSON.stringify(threadId)],
    ['metadata', metadata],
  ]);
  const permit = await authorize(agent, call, 'threads', 'update', value);
  await threadWithin(agent, threadId, permit);
  const changes = permit.value.get('metadata') ?? metadata;
  const thread = await updateThread(agent.database, threadId, changes);
  return wantsNothing(call) ? { status: 204, body: '' } : json(threadView(thread));
};

const wantsNothing = ({ request }: Call): boolean =>
  /\breturn=minimal\b/.test(request.headersDistinct['prefer']?.join(', ') ?? '');

const deleteHandler: Handler = async (agent, call) => {
  const { thread_id: threadId } = await threadIn(agent, call, 'delete');
  await deleteThread(agent.database, threadId);
  return { status: 204, body: '' };
};

export const threadRoutes: readonly (readonly [string, string, Handler])[] = [
  ['POST', '/threads', createHandler],
  ['POST', '/threads/search', searchHandler],
  ['POST', '/threads/count', countHandler],
  ['GET', '/threads/:thread_id', getHandler],
  ['PATCH', '/threads/:thread_id', patchHandler],
  ['DELETE', '/threads/:thread_id', deleteHandler],
];
