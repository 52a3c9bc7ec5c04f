import * as z from 'zod';
import { RefusedError } from '../tables/errors.ts';
import { isNull, membersOf, mergedOf, objectOf } from '../tables/raw-json.ts';
import type { AssistantRow, Json, RunRow, ThreadRow } from '../tables/rows.ts';
import { createRun, type NewRun } from '../tables/runs.ts';
import { getThread, threadNotFound } from '../tables/threads.ts';
import type { Agent } from './agent.ts';
import { assistantNamed, requireGraph } from './assistants.ts';
import { authorize, isWithin, type Permit } from './authorize.ts';
import { HttpError, lacks } from './errors.ts';
import { anObject, type Body, bodyOf, type Call, idIn } from './request.ts';
import { buildElsewhere } from './thread-graph.ts';

const streamMode = z.enum([
  'values',
  'messages',
  'messages-tuple',
  'updates',
  'events',
  'tasks',
  'checkpoints',
  'debug',
  'custom',
]);
const nodes = z.union([z.literal('*'), z.array(z.string())]).optional();
const target = z.union([z.string(), z.object({ node: z.string(), input: z.unknown().optional() })]);

const runBody = z.object({
  assistant_id: z.string(),
  input: z.unknown().optional(),
  command: z
    .object({
      update: z.unknown().optional(),
      resume: z.unknown().optional(),
      goto: z.union([target, z.array(target)]).nullish(),
    })
    .optional(),
  config: z.looseObject({ configurable: anObject.nullish() }).optional(),
  context: anObject.optional(),
  metadata: anObject.optional(),
  checkpoint: anObject.optional(),
  checkpoint_id: z.string().optional(),
  stream_mode: z.union([streamMode, z.array(streamMode)]).optional(),
  stream_subgraphs: z.boolean().optional(),
  stream_resumable: z.boolean().optional(),
  interrupt_before: nodes,
  interrupt_after: nodes,
  multitask_strategy: z.enum(['enqueue', 'reject', 'interrupt', 'rollback']).optional(),
  on_disconnect: z.enum(['cancel', 'continue']).optional(),
  on_completion: z.enum(['delete', 'keep']).optional(),
  if_not_exists: z.enum(['create', 'reject']).optional(),
  after_seconds: z.number().min(0).max(31_536_000).optional(),
  durability: z.enum(['sync', 'async', 'exit']).optional(),
  checkpoint_during: z.boolean().optional(),
  webhook: z.unknown().optional(),
  feedback_keys: z.unknown().optional(),
  langsmith_tracer: z.unknown().optional(),
  strict_resume: z.boolean().optional(),
});

type RunBody = Body<z.infer<typeof runBody>>;

/** What it lacks is refused with its name. */
const LACKS = ['webhook', 'feedback_keys', 'langsmith_tracer'] as const;

const hasMembers = (value: object | null | undefined): boolean => Object.keys(value ?? {}).length > 0;

export type CreatedRun = { readonly run: RunRow; readonly asked: RunBody['fields'] };

/** Puts the run of a request into the queue. A request without a thread gets one of its own. */
export async function createRunOf(agent: Agent, call: Call): Promise<CreatedRun> {
  const body = bodyOf(call, runBody);
  const { fields, raw } = body;
  for (const name of LACKS) if (!isNull(raw.get(name))) throw lacks(`${name} of runs`);
  if (fields.strict_resume === true) throw lacks('strict_resume of runs');
  if (hasMembers(fields.context) && hasMembers(fields.config?.configurable))
    throw new HttpError(
      400,
      'context: give it alone, without config.configurable, which is the older way to say it',
    );
  const assistant = await assistantNamed(agent, fields.assistant_id);
  const threadId = call.params.thread_id === undefined ? undefined : idIn(call, 'thread_id');
  const temporary = threadId === undefined && fields.on_completion !== 'keep';
  const asked = kwargsOf(body, call.user, temporary);
  const permit = await permitFor(agent, call, { body, kwargs: asked, threadId });
  const createsThread = fields.if_not_exists === 'create';
  const thread =
    threadId === undefined ? undefined : await requireThread(agent, threadId, permit, createsThread);
  await requireGraph(agent, assistant, thread && buildElsewhere(agent, thread));
  const ids = JSON.stringify({ graph_id: assistant.graph_id, assistant_id: assistant.assistant_id });
  const sent = permit.value.get('metadata') ?? '{}';
  const run: NewRun = {
    ...(threadId !== undefined && { threadId }),
    createsThread,
    temporary,
    assistantId: assistant.assistant_id,
    graphId: assistant.graph_id,
    multitaskStrategy: fields.multitask_strategy ?? 'enqueue',
    kwargs: kwargsWith(assistant, mergedOf(asked, permit.value.get('kwargs') ?? '{}')),
    metadata: mergedOf(mergedOf(assistant.metadata, ids), isNull(sent) ? '{}' : sent),
    threadMetadata: mergedOf(ids, permit.filter ?? '{}'),
    newThreadMetadata: isNull(sent) ? '{}' : sent,
    afterSeconds: fields.after_seconds ?? 0,
    resumable: fields.stream_resumable ?? false,
    allows: (metadata) => isWithin(metadata, permit),
  };
  return { run: await createRun(agent.database, agent.server, run), asked: fields };
}

/** Throws a 404 if the thread is not there, or not one that the client may have. Undefined: it is made. */
async function requireThread(
  { database }: Agent,
  threadId: string,
  permit: Permit,
  createsThread: boolean,
): Promise<ThreadRow | undefined> {
  const thread = await getThread(database, threadId).catch((error: unknown) => {
    if (createsThread && error instanceof RefusedError && error.refusal === 'thread-not-found')
      return undefined;
    throw error;
  });
  if (thread !== undefined && !isWithin(thread.metadata, permit)) throw threadNotFound(threadId);
  return thread;
}

/** Asks the project. Its `kwargs` are those that a handler has changed of what the run is started with. */
async function permitFor(
  agent: Agent,
  call: Call,
  { body: { fields, raw }, kwargs, threadId }: { body: RunBody; kwargs: Json; threadId: string | undefined },
): Promise<Permit> {
  const value = objectOf([
    ['thread_id', JSON.stringify(threadId ?? null)],
    ['assistant_id', JSON.stringify(fields.assistant_id)],
    ['metadata', fields.metadata === undefined ? '{}' : (raw.get('metadata') ?? '{}')],
    ['kwargs', kwargs],
    ['multitask_strategy', JSON.stringify(fields.multitask_strategy ?? 'enqueue')],
    ['if_not_exists', JSON.stringify(fields.if_not_exists ?? 'reject')],
    ['after_seconds', JSON.stringify(fields.after_seconds ?? 0)],
  ]);
  return authorize(agent, call, 'threads', 'create_run', value);
}

/** What the worker needs, and what clients see of it in a run. Documents stay as they are written. */
function kwargsOf({ fields, raw }: RunBody, user: Json | undefined, temporary: boolean): Json {
  const given = (name: string): Json => raw.get(name) ?? 'null';
  const modes = fields.stream_mode ?? 'values';
  const durability = fields.durability ?? (fields.checkpoint_during === false ? 'exit' : 'sync');
  return objectOf([
    ['input', given('input')],
    ['command', given('command')],
    ['config', configOf({ fields, raw }, user)],
    ['context', raw.get('context') ?? '{}'],
    ['stream_mode', JSON.stringify(Array.isArray(modes) ? modes : [modes])],
    ['interrupt_before', given('interrupt_before')],
    ['interrupt_after', given('interrupt_after')],
    ['webhook', 'null'],
    ['feedback_keys', 'null'],
    ['temporary', JSON.stringify(temporary)],
    ['subgraphs', JSON.stringify(fields.stream_subgraphs ?? false)],
    ['resumable', JSON.stringify(fields.stream_resumable ?? false)],
    ['durability', JSON.stringify(durability)],
  ]);
}

/** The request's config, the checkpoint to start from, and who asks; later ones win. */
function configOf({ fields, raw }: RunBody, user: Json | undefined): Json {
  const sent = membersOf(raw.get('config') ?? '{}');
  const named = [...membersOf(raw.get('checkpoint') ?? '{}')].filter(([, value]) => !isNull(value));
  if (fields.checkpoint_id !== undefined) named.push(['checkpoint_id', JSON.stringify(fields.checkpoint_id)]);
  const who = user === undefined ? [] : whoOf(user);
  const configurable = [...membersOf(sent.get('configurable') ?? '{}'), ...named, ...who];
  return objectOf(sent.set('configurable', objectOf(new Map(configurable))));
}

/** Adds what the assistant has, where the run has nothing of its own. */
function kwargsWith({ config, context }: AssistantRow, kwargs: Json): Json {
  const members = membersOf(kwargs);
  const kept = membersOf(config);
  const own = membersOf(members.get('config') ?? '{}');
  const configurable = mergedOf(kept.get('configurable') ?? '{}', own.get('configurable') ?? '{}');
  return objectOf(
    members
      .set('config', objectOf(new Map([...kept, ...own, ['configurable', configurable] as const])))
      .set('context', mergedOf(context, members.get('context') ?? '{}')),
  );
}

function whoOf(user: Json): [string, Json][] {
  const members = membersOf(user);
  return [
    ['langgraph_auth_user', user],
    ['langgraph_auth_user_id', members.get('identity') ?? 'null'],
    ['langgraph_auth_permissions', members.get('permissions') ?? '[]'],
  ];
}
