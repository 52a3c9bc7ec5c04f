import type { ValidationItem } from '../../contract/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import { isSameJson } from './configuration.ts';
import { limitedFields } from './shape.ts';
import { showDeployment } from './view.ts';

/** A field of a body: `source_config`, `repo_url`. */
type Path = readonly string[];
type Json = Readonly<Record<string, unknown>>;
type Value = { path: Path; value: unknown };

/** Objects whose fields are kept one by one. */
const CONTAINERS = new Set(['source_config', 'source_revision_config', 'source_config.resource_spec']);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const at = (value: unknown, path: Path): unknown => path.reduce(memberOf, value);

/** The field that a path leads to or into. */
function fieldOf(path: Path): Path {
  let depth = 1;
  while (depth < path.length && CONTAINERS.has(path.slice(0, depth).join('.'))) depth += 1;
  return path.slice(0, depth);
}

function fieldsIn(body: unknown, path: Path): Path[] {
  const value = at(body, path);
  if (!CONTAINERS.has(path.join('.')) || !isObject(value)) return [path];
  return Object.keys(value).flatMap((name) => fieldsIn(body, [...path, name]));
}

function fieldsNamedBy({ loc }: ValidationItem, body: unknown): Path[] {
  const [part, ...path] = loc.map(String);
  if (part !== 'body') return [];
  return path.length === 0 ? limitedFields.flatMap((name) => fieldsIn(body, [name])) : [fieldOf(path)];
}

function without(value: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined || !isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, member]) => {
    if (name !== first) return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, without(member, rest)] as const];
  });
  return Object.fromEntries(entries);
}

function withValue(value: unknown, [first, ...rest]: Path, added: unknown): unknown {
  if (first === undefined) return added;
  return { ...(isObject(value) ? value : {}), [first]: withValue(memberOf(value, first), rest, added) };
}

/** The fields that have been found wrong, but are what is shown already. */
function sentBackIn(body: unknown, shown: unknown, items: readonly ValidationItem[]): Value[] {
  const named = items.flatMap((item) => fieldsNamedBy(item, body));
  return [...new Map(named.map((path) => [path.join('.'), path])).values()]
    .map((path) => ({ path, value: at(body, path) }))
    .filter(({ path, value }) => value !== undefined && value !== null && isSameJson(at(shown, path), value));
}

type Sent = { params: unknown; body: unknown; items: readonly ValidationItem[] };
type WithoutSentBack = { rest: unknown; whole(parsed: unknown): unknown };

/**
 * Takes out of a body what is shown of the deployment already, so that it may be sent back though it would be
 * refused today; `whole` gives a parsed body these fields as they came. Undefined when there are none.
 */
export async function withoutSentBack(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { params, body, items }: Sent,
  { tenantId }: Caller,
): Promise<WithoutSentBack | undefined> {
  const id = String(memberOf(params, 'deployment_id'));
  const deployment = await findDeployment(table, tenantId, id);
  if (deployment === undefined) return undefined;
  const fields = sentBackIn(body, await showDeployment({ table, clock }, deployment), items);
  if (fields.length === 0) return undefined;
  return {
    rest: fields.reduce((rest, { path }) => without(rest, path), body),
    whole: (parsed) => fields.reduce((whole, { path, value }) => withValue(whole, path, value), parsed),
  };
}
