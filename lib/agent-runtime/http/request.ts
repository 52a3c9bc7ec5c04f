import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { membersOf } from '../tables/raw-json.ts';
import type { Json } from '../tables/rows.ts';
import type { Agent } from './agent.ts';
import { HttpError } from './errors.ts';

export type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The text of the body, empty if there is none. */
  readonly body: Json;
  /** Who asks, as the project's own authentication has it. */
  readonly user: Json | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** An answer; undefined: the handler has written one itself. */
export type Answer = {
  readonly status?: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Handler = (agent: Agent, call: Call) => Promise<Answer | undefined>;

export const json = (body: Json, status = 200): Answer => ({ status, body });

/** Fields that are read, and all as they are written. */
export type Body<Fields> = { readonly fields: Fields; readonly raw: ReadonlyMap<string, Json> };

/** Reads the body, an object; a member that is null is as one that is absent. Throws a 422 that names the field. */
export function bodyOf<Schema extends z.ZodType>({ body }: Call, schema: Schema): Body<z.infer<Schema>> {
  const text = body === '' ? '{}' : body;
  const checked = schema.safeParse(withoutNulls(parsed(text)), { reportInput: true });
  if (!checked.success) throw new HttpError(422, checked.error.issues.map(issueText).join('; '));
  const raw = membersOf(text);
  for (const [name, value] of raw) if (value === 'null') raw.delete(name);
  return { fields: checked.data, raw };
}

const withoutNulls = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));

function parsed(text: Json): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpError(
      422,
      `The body is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** So much of a wrong value is shown. */
const SHOWN = 100;

function issueText({ path, message, input }: z.core.$ZodIssue): string {
  const shown = input === undefined ? '' : ` (got ${JSON.stringify(input).slice(0, SHOWN)})`;
  return path.length === 0 ? message : `${path.join('.')}: ${message}${shown}`;
}

export const isUuid = (text: string): boolean => z.guid().safeParse(text).success;

/** An id in the path. Throws a 422. */
export function idIn({ params }: Call, name: 'thread_id' | 'run_id'): string {
  const id = params[name] ?? '';
  if (!isUuid(id)) throw new HttpError(422, `Invalid ${name.replace('_id', '')} ID: must be a UUID`);
  return id.toLowerCase();
}

/** A whole number in the query. Throws a 400. */
export function countIn(
  { query }: Call,
  name: string,
  { otherwise, most }: { otherwise: number; most: number },
): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= most))
    throw new HttpError(400, `${name}: ${text.slice(0, SHOWN)} is no number from 0 to ${most}`);
  return count;
}

export const flagIn = ({ query }: Call, name: string): boolean => /^(?:1|true)$/i.test(query.get(name) ?? '');

/** Fields that several bodies have. */
export const anObject = z.record(z.string(), z.unknown());
export const paging = {
  limit: z.int().min(1).max(1_000).optional(),
  offset: z.int().min(0).optional(),
  sort_order: z.enum(['asc', 'desc']).optional(),
};
/** A page, and where the next one begins if there is one; one more than the limit was read. */
export function pageOf(items: readonly Json[], { limit, offset }: { limit: number; offset: number }): Answer {
  const page = items.slice(0, limit);
  const hasMore = items.length > limit;
  return {
    body: `[${page.join(',')}]`,
    headers: {
      'x-pagination-total': String(offset + items.length),
      ...(hasMore && { 'x-pagination-next': String(offset + limit) }),
    },
  };
}

export const selection = z.array(z.string()).optional();
