import { addressOf, type Parts } from '../logic/address.ts';
import { type FieldProblem, problemsIn, textOf } from '../logic/refusal.ts';
import type { Answer, Ask, Endpoint } from './contract.ts';
import { noteIgnored } from './ignored.ts';
import { PREFIX } from './place.ts';
import { credentials, forget, renewed } from './session.ts';

/** What the service refused, in its own words; `status` 0: it did not answer at all. */
export class Refusal extends Error {
  readonly status: number;
  readonly requestId: string | null;
  /** Of a 422: what is wrong, by field. */
  readonly fields: readonly FieldProblem[];

  constructor(status: number, body: unknown, requestId: string | null) {
    super(textOf(status, body));
    this.name = 'Refusal';
    this.status = status;
    this.requestId = requestId;
    this.fields = problemsIn(body);
  }
}

/** Answers that have a tag, by address: what did not change is not sent again. */
const kept = new Map<string, { tag: string; json: unknown }>();
const KEPT_MAX = 50;
/** Its tag counts changes of its configuration; what serves changes without one. */
const COUNTED: Endpoint = 'GET /v2/deployments/{deployment_id}';

function keep(address: string, tag: string | null, json: unknown): void {
  if (tag === null) return;
  kept.delete(address);
  kept.set(address, { tag, json });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

/** What was seen in another person's name is not shown in this one's. */
export const forgetAnswers = (): void => kept.clear();

const headersOf = ({ body }: Parts, before: { tag: string } | undefined, more: Record<string, string>) => ({
  Accept: 'application/json',
  ...credentials(),
  ...(body !== undefined && { 'Content-Type': 'application/json' }),
  ...(before !== undefined && { 'If-None-Match': before.tag }),
  ...more,
});

/** Sends it once more where the answer is that the token is over and there is a newer one. */
export async function renewing(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  return response.status === 401 && (await renewed()) ? send() : response;
}

/** The answer with its tag. Throws a Refusal for whatever is no success; a 401 ends the session. */
export async function askTagged<E extends Endpoint>(
  endpoint: E,
  given: Ask<E>,
  { signal, headers = {} }: { signal?: AbortSignal | undefined; headers?: Record<string, string> } = {},
): Promise<{ answer: Answer<E>; tag: string | null }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same without the types of its row
  const parts = given as Parts;
  const method = endpoint.slice(0, endpoint.indexOf(' '));
  const address = PREFIX + addressOf(endpoint, parts);
  const before = method === 'GET' ? kept.get(address) : undefined;
  const send = () =>
    fetch(address, {
      method,
      // The browser's own cache would take an equal tag for an equal answer, and keep answers on disk.
      cache: 'no-store',
      headers: headersOf(parts, before, headers),
      ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
      ...(signal !== undefined && { signal }),
    });
  const response = await renewing(send).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refusal(0, undefined, null);
  });
  if (parts.body !== undefined) noteIgnored(response.headers.get('X-Slipway-Ignored'));
  const tag = response.headers.get('ETag');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers with the schema that this type is made from
  const typed = (json: unknown) => ({ answer: json as Answer<E>, tag });
  if (response.status === 304 && before !== undefined) return typed(before.json);
  const json: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) forget();
  if (!response.ok) throw new Refusal(response.status, json, response.headers.get('X-Request-Id'));
  if (method === 'GET' && endpoint !== COUNTED) keep(address, tag, json);
  return typed(json);
}

/** The answer alone. */
export const ask = async <E extends Endpoint>(
  endpoint: E,
  parts: Ask<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> => (await askTagged(endpoint, parts, { signal })).answer;
