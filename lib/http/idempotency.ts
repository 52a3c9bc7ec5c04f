import { createHash, createHmac } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Caller } from '../app/caller.ts';
import { type Idempotency, unkeyed } from '../app/idempotency.ts';
import type { IdentityDeps } from '../app/identity/authenticate.ts';
import { refuse, ValidationError } from '../contract/errors.ts';
import { type RouteRow, takesIdempotencyKey } from '../contract/routes/route.ts';
import { type Answer, answer, findAnswer, putAnswer } from '../store/answers.ts';
import { answerKey, type Key } from '../store/keys.ts';
import { AlreadyAnswered, transact, type Write } from '../store/operations.ts';
import { knownErrorAnswer } from './error-mapping.ts';
import { exchangeOf, type Result, type Step } from './exchange.ts';
import { Replayed } from './replayed.ts';
import { successAnswer } from './respond.ts';

const KEY_CHARACTERS_MAX = 255;
const KEPT_MILLISECONDS = 24 * 3_600_000;
/** What a client did wrong, and what stands in its way, does not change by asking again under the same key; the rest may. */
const KEPT_ERRORS = new Set([400, 404, 409]);
const KEPT_HEADERS = /^(?:content-type|etag)$/i;

/** One request under its key. */
class Keyed implements Idempotency {
  readonly #at: Key;
  readonly #requestHash: string;
  readonly #tenantId: string;
  readonly #row: RouteRow;
  readonly #event: APIGatewayProxyEventV2;
  readonly #now: () => number;
  /** The answer is kept already, with the change that it tells of. */
  isKept = false;

  constructor(row: RouteRow, event: APIGatewayProxyEventV2, caller: Caller, key: string, now: () => number) {
    const { method, path } = event.requestContext.http;
    const scope = JSON.stringify([caller.userId, method, path, key]);
    this.#at = answerKey(caller.tenantId, createHash('sha256').update(scope).digest('hex'));
    // Under the key, which is stored nowhere: a plain hash of a body with a secret in it would be for anybody to guess at.
    const request = JSON.stringify([event.rawQueryString, event.body ?? '']);
    this.#requestHash = createHmac('sha256', key).update(request).digest('hex');
    this.#tenantId = caller.tenantId;
    this.#row = row;
    this.#event = event;
    this.#now = now;
  }

  /** Throws the answer that the same request got before; `idempotency_mismatch` when it was another request. */
  async replay(table: IdentityDeps['table']): Promise<void> {
    const found = await findAnswer(table, this.#at, this.#now());
    if (found !== undefined) throw this.replayed(found);
  }

  replayed(found: Answer): Error {
    if (found.request_hash !== this.#requestHash) return refuse('idempotency_mismatch', {});
    const headers = { ...found.headers, 'idempotent-replayed': 'true' };
    const body = found.body === undefined ? {} : { body: gunzipSync(found.body).toString('utf8') };
    return new Replayed({ statusCode: found.status, headers, ...body });
  }

  record(output: unknown): Write[] {
    return [this.write(successAnswer(this.#row, this.#event, output))];
  }

  write({ statusCode: status = 200, headers = {}, body }: Result): Write {
    const now = this.#now();
    const expires_at = now + KEPT_MILLISECONDS;
    const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
    const item: Answer = {
      v: 1,
      entity: 'answer',
      tenant_id: this.#tenantId,
      request_hash: this.#requestHash,
      status,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      ...(body !== undefined && { body: gzipSync(body) }),
      expires_at,
      ttl: Math.ceil(expires_at / 1000),
    };
    const onWritten = () => {
      this.isKept = true;
    };
    return { ...putAnswer(this.#at, item, now), onWritten };
  }
}

const keyedRequests = new WeakMap<object, Keyed>();

/** What a use case keeps its answer with; nothing is kept for a request without a key. */
export const idempotencyOf = (event: APIGatewayProxyEventV2): Idempotency =>
  keyedRequests.get(event) ?? unkeyed;

function checkedKey(key: string): string {
  if (key.length <= KEY_CHARACTERS_MAX) return key;
  const msg = `String should have at most ${KEY_CHARACTERS_MAX} characters`;
  const ctx = { max_length: KEY_CHARACTERS_MAX };
  const loc = ['header', 'Idempotency-Key'];
  throw new ValidationError([{ loc, msg, type: 'string_too_long', input: key, ctx }]);
}

/**
 * Answers a request that was answered under the same `Idempotency-Key` as it was answered then (contract §2.2). Changes keep their answer in
 * their own transaction; what changes nothing, and what is refused for good, is kept here.
 */
export const idempotency = (row: RouteRow, deps: () => IdentityDeps): Step[] =>
  takesIdempotencyKey(row) ? [step(row, deps)] : [];

const step = (row: RouteRow, deps: () => IdentityDeps): Step => ({
  before: async ({ event }) => {
    const key = event.headers['idempotency-key'];
    const { caller } = exchangeOf(event);
    if (key === undefined || key === '' || caller === undefined) return;
    const { table, clock } = deps();
    const keyed = new Keyed(row, event, caller, checkedKey(key), clock.now);
    await keyed.replay(table);
    keyedRequests.set(event, keyed);
  },
  after: async ({ event, response }) => {
    const keyed = keyedRequests.get(event);
    if (keyed !== undefined && !keyed.isKept) await keep(deps(), keyed, response ?? {});
  },
  onError: async (request) => {
    const keyed = keyedRequests.get(request.event);
    if (keyed === undefined) return;
    const { error } = request;
    if (error instanceof AlreadyAnswered) {
      request.error = keyed.replayed(answer().parse(error.item));
      return;
    }
    const known = knownErrorAnswer(error);
    if (known?.statusCode === undefined || !KEPT_ERRORS.has(known.statusCode)) return;
    try {
      await keep(deps(), keyed, known);
    } catch (replayed) {
      request.error = replayed instanceof Error ? replayed : request.error;
    }
  },
});

/** Throws what was answered before by a request that was quicker. */
async function keep({ table }: IdentityDeps, keyed: Keyed, result: Result): Promise<void> {
  try {
    await transact(table, [keyed.write(result)]);
  } catch (error) {
    throw error instanceof AlreadyAnswered ? keyed.replayed(answer().parse(error.item)) : error;
  }
}
