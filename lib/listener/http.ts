import { jittered, messageOf, pause } from './backoff.ts';
import type { Log } from './log.ts';

/** An answer that asking again will not change. */
export class ControlPlaneRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type HttpResponse = { status: number; headers: Headers; text: string };
export type SendOptions = {
  signal: AbortSignal;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMilliseconds?: number;
};

/** One answer within this time, else the connection is taken for dead. */
const TIMEOUT_MILLISECONDS = 30_000;
/**
 * The first retry comes quickly (a restart of the server takes a second); a long outage costs two requests a
 * minute.
 */
const RETRY_BASE_MILLISECONDS = 150;
const RETRY_CAP_MILLISECONDS = 15_000;
/** A server that asks for more patience than this is asked again anyway. */
const RETRY_AFTER_CAP_SECONDS = 30;

function isTransient(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function retryAfterMilliseconds(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds, RETRY_AFTER_CAP_SECONDS) * 1000 : 0;
}

/**
 * What an agent writes may hold half a character, and a message be cut inside one: a request with such a text
 * would be refused.
 */
const wholeCharacters = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;

/**
 * Sends requests below one base address with the listener's key. Network errors, 429 and 5xx are retried
 * until the caller's signal fires; any other status but 2xx and 304 throws `Refused`.
 */
export class Http {
  readonly #base: string;
  readonly #apiKey: string;
  readonly #log: Log;
  readonly #attempted: () => void;

  /** `attempted` is called after each attempt, whatever came of it. */
  constructor(base: string, apiKey: string, log: Log, attempted: () => void = () => undefined) {
    this.#base = base;
    this.#apiKey = apiKey;
    this.#log = log;
    this.#attempted = attempted;
  }

  async send(method: 'GET' | 'POST', path: string, options: SendOptions): Promise<HttpResponse> {
    for (let attempt = 0; ; attempt += 1) {
      options.signal.throwIfAborted();
      let wait = jittered(attempt, RETRY_BASE_MILLISECONDS, RETRY_CAP_MILLISECONDS);
      try {
        const response = await this.#once(method, path, options).finally(this.#attempted);
        if (response.status < 300 || response.status === 304) return response;
        const problem = `${method} ${path}: HTTP ${response.status} ${response.text.slice(0, 300)}`;
        if (!isTransient(response.status)) throw new ControlPlaneRefused(response.status, problem);
        wait = Math.max(wait, retryAfterMilliseconds(response.headers));
        this.#log.warn(problem);
      } catch (error) {
        if (error instanceof ControlPlaneRefused) throw error;
        options.signal.throwIfAborted();
        this.#log[attempt === 0 ? 'debug' : 'warn'](`${method} ${path}: ${messageOf(error)}`);
      }
      await pause(wait, options.signal);
    }
  }

  async #once(method: string, path: string, options: SendOptions): Promise<HttpResponse> {
    const timeout = AbortSignal.timeout(options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS);
    const response = await fetch(`${this.#base}/${path}`, {
      method,
      headers: {
        'x-api-key': this.#apiKey,
        accept: 'application/json',
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body, wholeCharacters) }),
      signal: AbortSignal.any([options.signal, timeout]),
      redirect: 'error',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
