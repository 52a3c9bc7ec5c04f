import { v5 } from 'uuid';
import * as z from 'zod';
import {
  type AssistantFilter,
  countAssistants,
  findAssistant,
  searchAssistants,
} from '../tables/assistants.ts';
import { hasGraph, revisionsWith } from '../tables/build-graphs.ts';
import { objectOf } from '../tables/raw-json.ts';
import type { AssistantRow, Json } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { authorize, isWithin, searched } from './authorize.ts';
import { HttpError } from './errors.ts';
import {
  anObject,
  bodyOf,
  type Call,
  flagIn,
  type Handler,
  isUuid,
  json,
  pageOf,
  paging,
  selection,
} from './request.ts';
import { assistantView } from './views.ts';

/** Clients compute the id of a graph's own assistant: by version 5 of UUIDs, in this name space. */
const NAME_SPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export const assistantIdOf = (graphId: string): string => v5(graphId, NAME_SPACE);

/** An assistant by its id, or by the name of its graph. Throws a 404. */
export async function assistantNamed({ database, worker }: Agent, name: string): Promise<AssistantRow> {
  const isId = isUuid(name) && !Object.hasOwn(worker.hello.graphs, name);
  const found = await findAssistant(database, isId ? name : assistantIdOf(name));
  if (found === undefined) throw new HttpError(404, `Assistant ${name.slice(0, 100)} not found`);
  return found;
}

/** So many revisions are named that have a graph which the serving one has not. */
const NAMED = 5;

/**
 * Throws a 422 if nothing would run the assistant's graph: neither the serving revision nor, for a thread
 * that waits in another build, that one.
 */
export async function requireGraph(
  { worker, server, database }: Agent,
  { graph_id: graphId, assistant_id: id }: AssistantRow,
  waitsIn?: string,
): Promise<void> {
  const graphs = Object.keys(worker.hello.graphs);
  if (graphs.includes(graphId)) return;
  if (waitsIn !== undefined && (await hasGraph(database, waitsIn, graphId))) return;
  const revisions = await revisionsWith(database, graphId, NAMED);
  const has = graphs.sort().join(', ');
  const others = revisions.length === 0 ? '' : ` Revisions that have '${graphId}': ${revisions.join(', ')}.`;
  const message = `Assistant ${id} is of graph '${graphId}', which revision ${server.revisionId} has not; it has: ${has}.${others}`;
  throw new HttpError(422, message);
}

async function assistantIn(agent: Agent, call: Call): Promise<AssistantRow> {
  const name = call.params.assistant_id ?? '';
  const assistant = await assistantNamed(agent, name).catch((error: unknown) => {
    if (isUuid(name)) throw error;
    throw new HttpError(422, 'Invalid assistant ID: must be a UUID');
  });
  const value = JSON.stringify({ assistant_id: assistant.assistant_id, metadata: {} });
  const permit = await authorize(agent, call, 'assistants', 'read', value);
  if (!isWithin(assistant.metadata, permit)) throw new HttpError(404, `Assistant ${name} not found`);
  return assistant;
}

const search = z.object({
  graph_id: z.string().optional(),
  name: z.string().optional(),
  metadata: anObject.optional(),
  ...paging,
  sort_by: z.enum(['assistant_id', 'graph_id', 'name', 'created_at', 'updated_at']).optional(),
  select: selection,
});

type Search = { fields: z.infer<typeof search>; filter: AssistantFilter | undefined };

async function searchIn(agent: Agent, call: Call): Promise<Search> {
  const { fields, raw } = bodyOf(call, search);
  const value = objectOf([
    ['graph_id', raw.get('graph_id') ?? 'null'],
    ['metadata', fields.metadata === undefined ? '{}' : (raw.get('metadata') ?? '{}')],
    ['limit', JSON.stringify(fields.limit ?? 10)],
    ['offset', JSON.stringify(fields.offset ?? 0)],
  ]);
  const permit = await authorize(agent, call, 'assistants', 'search', value);
  const metadata = searched(permit.value.get('metadata'), permit);
  if (metadata === undefined) return { fields, filter: undefined };
  const { graph_id: graphId, name } = fields;
  return {
    fields,
    filter: { metadata, ...(graphId !== undefined && { graphId }), ...(name !== undefined && { name }) },
  };
}

const searchHandler: Handler = async (agent, call) => {
  const { fields, filter } = await searchIn(agent, call);
  if (filter === undefined) return json('[]');
  const { limit = 10, offset = 0, sort_by: sortBy, sort_order: order } = fields;
  const rows = await searchAssistants(agent.database, filter, {
    limit: limit + 1,
    offset,
    ...(sortBy !== undefined && { sortBy }),
    ...(order !== undefined && { descending: order === 'desc' }),
  });
  const items = rows.map((row) => assistantView(row, fields.select));
  return pageOf(items, { limit, offset });
};

const countHandler: Handler = async (agent, call) => {
  const { filter } = await searchIn(agent, call);
  return json(String(filter === undefined ? 0 : await countAssistants(agent.database, filter)));
};

const getHandler: Handler = async (agent, call) => json(assistantView(await assistantIn(agent, call)));

/** An operation of the worker on the assistant's graph. */
async function ofGraph(
  agent: Agent,
  call: Call,
  op: 'draw' | 'schemas' | 'subgraphs',
  more: [string, Json][],
) {
  const assistant = await assistantIn(agent, call);
  await requireGraph(agent, assistant);
  const args: [string, Json][] = [
    ['graph_id', JSON.stringify(assistant.graph_id)],
    ['config', assistant.config],
  ];
  return json(await agent.worker.call(op, objectOf([...args, ...more])));
}

const graphHandler: Handler = async (agent, call) => {
  const xray = call.query.get('xray') ?? 'false';
  if (!/^(?:true|false|[1-9]\d{0,3})$/i.test(xray))
    throw new HttpError(422, `xray: ${xray.slice(0, 100)} is neither true nor false nor a depth`);
  return ofGraph(agent, call, 'draw', [['xray', xray.toLowerCase()]]);
};

const subgraphsHandler: Handler = async (agent, call) => {
  const namespace = call.params.namespace ?? call.query.get('namespace');
  return ofGraph(agent, call, 'subgraphs', [
    ['namespace', JSON.stringify(namespace ?? null)],
    ['recurse', JSON.stringify(flagIn(call, 'recurse'))],
  ]);
};

export const assistantRoutes: readonly (readonly [string, string, Handler])[] = [
  ['POST', '/assistants/search', searchHandler],
  ['POST', '/assistants/count', countHandler],
  ['GET', '/assistants/:assistant_id', getHandler],
  ['GET', '/assistants/:assistant_id/graph', graphHandler],
  ['GET', '/assistants/:assistant_id/schemas', async (agent, call) => ofGraph(agent, call, 'schemas', [])],
  ['GET', '/assistants/:assistant_id/subgraphs', subgraphsHandler],
  ['GET', '/assistants/:assistant_id/subgraphs/:namespace', subgraphsHandler],
];
