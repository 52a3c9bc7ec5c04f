import { createHmac } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { refuse, ValidationError } from '../contract/errors.ts';
import { type RouteRow, takesIdempotencyKey } from '../contract/routes/route.ts';
import {
  type Idempotency,
  IdempotencySlot,
  isBeingAnswered,
  quickerAnswer,
  type RecordedResponse,
} from '../core/idempotency.ts';
import type { IdentityDeps } from '../core/identity/authenticate.ts';
import { knownErrorAnswer, Replayed } from './errors.ts';
import type { KeyedRequest, Middleware, Result } from './exchange.ts';
import { successAnswer } from './respond.ts';

const KEY_CHARACTERS_MAX = 255;
/**
 * What a client did wrong, and what stands in its way, does not change by asking again under the same key;
 * the rest may.
 */
const KEPT_ERRORS = new Set([400, 404, 409]);
/**
 * What a concurrent request under the same key may have caused: another version than asked for, contention.
 */
const CAUSED_ERRORS = new Set([412, 503]);
const KEPT_HEADERS = /^(?:content-type|etag)$/i;

/** One request under its key. */
class Keyed implements KeyedRequest {
  readonly place: IdempotencySlot;
  readonly #requestHash: string;
  readonly #row: RouteRow;
  readonly #event: APIGatewayProxyEventV2;

  constructor(row: RouteRow, event: APIGatewayProxyEventV2, key: string, place: IdempotencySlot) {
    this.place = place;
    // Under the key, which is stored nowhere: a plain hash of a body with a secret in it would be for anybody
    // to guess at.
    const request = JSON.stringify([event.rawQueryString, event.body ?? '']);
    this.#requestHash = createHmac('sha256', key).update(request).digest('hex');
    this.#row = row;
    this.#event = event;
  }

  /** What to throw for an answer that is kept already. */
  replayed(kept: RecordedResponse): Error {
    if (kept.request_hash !== this.#requestHash) return refuse('idempotency_mismatch', {});
    const headers = { ...kept.headers, 'idempotent-replayed': 'true' };
    const body = kept.body === undefined ? {} : { body: unpacked(kept.body) };
    return new Replayed({ statusCode: kept.status, headers, ...body });
  }

  record(output: unknown): ReturnType<Idempotency['record']> {
    return [this.place.write(this.#kept(successAnswer(this.#row, this.#event, output)))];
  }

  isKept(): boolean {
    return this.place.isTaken;
  }

  /** Keeps the answer to what changed nothing. */
  keep(result: Result): Promise<void> {
    return this.place.keep(this.#kept(result));
  }

  /**
   * What to throw instead of an error: the answer of a concurrent request under the key, where there is one.
   */
  async instead(error: unknown): Promise<unknown> {
    const quicker = quickerAnswer(error);
    if (quicker !== undefined) return this.replayed(quicker);
    if (isBeingAnswered(error))
      return this.#orReplayed(await this.place.wait(), refuse('idempotency_under_way', {}));
    const known = knownErrorAnswer(error);
    const status = known?.statusCode ?? 500;
    if (CAUSED_ERRORS.has(status)) return this.#orReplayed(await this.place.find(), error);
    if (known !== undefined && KEPT_ERRORS.has(status)) await this.keep(known);
    return error;
  }

  #orReplayed(kept: RecordedResponse | undefined, error: unknown): unknown {
    return kept === undefined ? error : this.replayed(kept);
  }

  #kept({ statusCode: status = 200, headers = {}, body }: Result): RecordedResponse {
    const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
    return {
      request_hash: this.#requestHash,
      status,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      ...(body !== undefined && { body: packed(body) }),
    };
  }
}

/** By far the best for its time: the highest quality takes twenty times as long for a twelfth less. */
const QUALITY = 5;

/**
 * Brotli knows much of what JSON says beforehand: with it the answer of most requests stays within the
 * kilobyte that two write units pay for.
 */
const packed = (body: string): Buffer<ArrayBuffer> =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });

/** Earlier versions kept gzip, whose first two bytes none of Brotli's windows but its largest has. */
function unpacked(body: Uint8Array): string {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  return (isGzip ? gunzipSync(body) : brotliDecompressSync(body)).toString('utf8');
}

function checkedKey(key: string): string {
  if (key.length <= KEY_CHARACTERS_MAX) return key;
  const msg = `String should have at most ${KEY_CHARACTERS_MAX} characters`;
  const ctx = { max_length: KEY_CHARACTERS_MAX };
  const loc = ['header', 'Idempotency-Key'];
  throw new ValidationError([{ loc, msg, type: 'string_too_long', input: key, ctx }]);
}

/**
 * Repeats the first response to requests under the same `Idempotency-Key`. A change records its response in
 * its own transaction; this step records those of requests that change nothing or are refused.
 */
export const idempotency = (row: RouteRow, deps: () => IdentityDeps): Middleware[] =>
  takesIdempotencyKey(row) ? [step(row, deps)] : [];

const step = (row: RouteRow, deps: () => IdentityDeps): Middleware => ({
  before: async ({ event, internal }) => {
    const given = event.headers['idempotency-key'];
    const { caller } = internal;
    if (given === undefined || given === '' || caller === undefined) return;
    const key = checkedKey(given);
    const { method, path } = event.requestContext.http;
    const keyed = new Keyed(row, event, key, new IdempotencySlot(deps(), caller, { method, path, key }));
    const found = await keyed.place.find();
    if (found !== undefined) throw keyed.replayed(found);
    internal.keyed = keyed;
  },
  after: async ({ internal: { keyed }, response }) => {
    if (keyed !== undefined && !keyed.isKept()) await keyed.keep(response ?? {});
  },
  onError: async (request) => {
    const { keyed } = request.internal;
    if (keyed === undefined) return;
    // A refusal that is to be kept may find an answer in its place, or one on its way there.
    const thrown = await keyed
      .instead(request.error)
      .catch((error: unknown) => keyed.instead(error))
      .catch((error: unknown) => error);
    if (thrown instanceof Error) request.error = thrown;
  },
});
