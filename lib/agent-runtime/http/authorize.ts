import * as z from 'zod';
import { isNull, membersOf, objectOf } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';
import type { Call } from './request.ts';

export type Resource = 'assistants' | 'threads' | 'store';

/** What the project's own authorization allows. */
export type Permit = {
  /** The value that was asked for, as a handler has left it. */
  readonly value: ReadonlyMap<string, Json>;
  /** An object that the metadata must contain; undefined: any metadata will do. */
  readonly filter: Json | undefined;
};

/** Asks the project whether somebody may do something. Throws a 403, or what the project says. */
export async function authorize(
  { worker }: Agent,
  { user }: Pick<Call, 'user'>,
  resource: Resource,
  action: string,
  value: Json,
): Promise<Permit> {
  if (user === undefined) return { value: membersOf(value), filter: undefined };
  const args = objectOf([
    ['resource', JSON.stringify(resource)],
    ['action', JSON.stringify(action)],
    ['value', value],
    ['user', user],
  ]);
  const answer = membersOf(await worker.call('authorize', args));
  return { value: membersOf(answer.get('value') ?? value), filter: filterOf(answer.get('filters')) };
}

const operators = z.union([z.strictObject({ $eq: z.unknown() }), z.strictObject({ $contains: z.unknown() })]);

/** A handler's filter as an object that metadata must contain. */
function filterOf(filters: Json | undefined): Json | undefined {
  if (isNull(filters) || filters === undefined) return undefined;
  const members = [...membersOf(filters)].map(([name, wanted]): [string, Json] => [
    name,
    wantedOf(name, wanted),
  ]);
  return members.length === 0 ? undefined : objectOf(members);
}

function wantedOf(name: string, wanted: Json): Json {
  if (name.startsWith('$')) throw unknownFilter(name);
  if (!wanted.startsWith('{')) return wanted;
  const checked = operators.safeParse(JSON.parse(wanted));
  if (!checked.success) throw unknownFilter(`${name}: ${wanted.slice(0, 100)}`);
  const [[operator, value] = ['', 'null']] = membersOf(wanted);
  return operator === '$eq' || value.startsWith('[') ? value : `[${value}]`;
}

const unknownFilter = (what: string): HttpError =>
  new HttpError(
    500,
    `The project's auth answers a filter that this server does not know (${what}): it knows values, $eq and $contains.`,
  );

/** Whether a document contains another, as Postgres has it for jsonb. */
export function contains(document: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(document) && wanted.every((item) => document.some((one) => contains(one, item)));
  if (typeof wanted !== 'object' || wanted === null) return document === wanted;
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
  const members = new Map<string, unknown>(Object.entries(document));
  return Object.entries(wanted).every(
    ([name, value]) => members.has(name) && contains(members.get(name), value),
  );
}

/** Whether metadata is within what a permit allows. */
export const isWithin = (metadata: Json, { filter }: Permit): boolean =>
  filter === undefined || contains(JSON.parse(metadata), JSON.parse(filter));

/** What to search for: what was asked, and what is allowed. Undefined: nothing can be both. */
export function searched(asked: Json | undefined, { filter }: Permit): Json | undefined {
  const wanted = membersOf(asked ?? '{}');
  for (const [name, value] of membersOf(filter ?? '{}')) {
    const other = wanted.get(name);
    if (other !== undefined && !contains(JSON.parse(other), JSON.parse(value))) return undefined;
    if (other === undefined) wanted.set(name, value);
  }
  return objectOf(wanted);
}
