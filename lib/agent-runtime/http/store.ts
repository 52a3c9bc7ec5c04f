import * as z from 'zod';
import type { WorkerOp } from '../queue/port.ts';
import { objectOf } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { authorize } from './authorize.ts';
import { HttpError, lacks } from './errors.ts';
import { anObject, bodyOf, type Call, type Handler, json } from './request.ts';

const label = z
  .string()
  .min(1)
  .refine((text) => !text.includes('.'), 'Namespace labels cannot contain periods');
const namespace = z.array(label);
const counts = { limit: z.int().min(1).max(1_000).optional(), offset: z.int().min(0).optional() };

type Action = 'put' | 'get' | 'delete' | 'search' | 'list_namespaces';

/** Asks the project, whose handler may change the namespace, and then the library's store. */
async function store(
  agent: Agent,
  call: Call,
  action: Action,
  op: WorkerOp,
  args: [string, Json][],
): Promise<Json> {
  const { value } = await authorize(agent, call, 'store', action, objectOf(args));
  return agent.worker.call(op, objectOf(args.map(([name, sent]) => [name, value.get(name) ?? sent])));
}

const put = z.object({
  namespace,
  key: z.string().min(1),
  value: anObject,
  index: z.union([z.literal(false), z.array(z.string())]).optional(),
  ttl: z.unknown().optional(),
});

const putHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, put);
  if (fields.ttl !== undefined) throw lacks('ttl of items');
  if (fields.namespace.length === 0) throw new HttpError(400, 'namespace: it has no labels');
  await store(agent, call, 'put', 'store_put', [
    ['namespace', JSON.stringify(fields.namespace)],
    ['key', JSON.stringify(fields.key)],
    ['value', raw.get('value') ?? '{}'],
    ['index', JSON.stringify(fields.index ?? null)],
  ]);
  return { status: 204, body: '' };
};

const getHandler: Handler = async (agent, call) => {
  const key = call.query.get('key');
  if (key === null || key === '') throw new HttpError(400, 'key: name the item in the query');
  const labels = call.query.get('namespace') ?? '';
  const answer = await store(agent, call, 'get', 'store_get', [
    ['namespace', JSON.stringify(labels === '' ? [] : labels.split('.'))],
    ['key', JSON.stringify(key)],
  ]);
  return json(answer);
};

const remove = z.object({ namespace: namespace.optional(), key: z.string().min(1) });

const deleteHandler: Handler = async (agent, call) => {
  const { fields } = bodyOf(call, remove);
  await store(agent, call, 'delete', 'store_delete', [
    ['namespace', JSON.stringify(fields.namespace ?? [])],
    ['key', JSON.stringify(fields.key)],
  ]);
  return { status: 204, body: '' };
};

const search = z.object({
  namespace_prefix: namespace.optional(),
  filter: anObject.optional(),
  query: z.string().optional(),
  ...counts,
});

const searchHandler: Handler = async (agent, call) => {
  const { fields, raw } = bodyOf(call, search);
  if (fields.query !== undefined) throw lacks('a search of items by meaning (query)');
  const answer = await store(agent, call, 'search', 'store_search', [
    ['namespace', JSON.stringify(fields.namespace_prefix ?? [])],
    ['filter', raw.get('filter') ?? 'null'],
    ['limit', JSON.stringify(fields.limit ?? 10)],
    ['offset', JSON.stringify(fields.offset ?? 0)],
  ]);
  return json(answer);
};

const namespaces = z.object({
  prefix: z.array(z.string()).optional(),
  suffix: z.array(z.string()).optional(),
  max_depth: z.int().min(1).optional(),
  ...counts,
});

const namespacesHandler: Handler = async (agent, call) => {
  const { fields } = bodyOf(call, namespaces);
  const answer = await store(agent, call, 'list_namespaces', 'store_namespaces', [
    // By the name that handlers know it by, who put their clients' names before it.
    ['namespace', JSON.stringify(fields.prefix ?? null)],
    ['suffix', JSON.stringify(fields.suffix ?? null)],
    ['max_depth', JSON.stringify(fields.max_depth ?? null)],
    ['limit', JSON.stringify(fields.limit ?? 100)],
    ['offset', JSON.stringify(fields.offset ?? 0)],
  ]);
  return json(answer);
};

export const storeRoutes: readonly (readonly [string, string, Handler])[] = [
  ['PUT', '/store/items', putHandler],
  ['GET', '/store/items', getHandler],
  ['DELETE', '/store/items', deleteHandler],
  ['POST', '/store/items/search', searchHandler],
  ['POST', '/store/namespaces', namespacesHandler],
];
