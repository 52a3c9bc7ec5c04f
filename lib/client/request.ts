import type { AnyEndpoint, UnkeptEndpoint } from './endpoints.ts';
import { Refusal } from './refusal.ts';

/**
 * Who asks. A token is good for several tenants, and so are some keys: `tenantId` picks one. None of both:
 * for what needs no credential.
 */
export type Credentials = (
  | { apiKey?: string | undefined; token?: never }
  | { token: string; apiKey?: never }
) & { tenantId?: string | undefined };

export type ClientOptions = {
  /** The address of the API, a path prefix included; '' in a browser: that of the page. */
  url: string;
  /**
   * Asked before each request. `isRefused`: the service has just refused those it gave; undefined then:
   * there are no others.
   */
  credentials:
    | Credentials
    | ((isRefused: boolean) => Credentials | undefined | Promise<Credentials | undefined>);
  /** How often a request is sent at most while what keeps it from an answer may pass. */
  triesMax?: number;
  /** How long each may take to be answered. */
  timeoutMilliseconds?: number;
  /** Sees every answer that is not asked for again: what its headers say of version and ignored fields. */
  onAnswer?: (answer: Response, endpoint: AnyEndpoint) => void;
  /** Sent with every request. */
  headers?: Record<string, string>;
  fetch?: (address: string, init: RequestInit) => Promise<Response>;
};

export type RequestOptions = {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** In place of the client's. */
  timeoutMilliseconds?: number;
};

/** Of what the service keeps no answers of: a second request makes nothing that stays. */
type HarmlessEndpoint =
  | 'POST /v2/auth/agents/{agent_id}/connections/{connection_id}/token'
  | 'POST /v2/deployments/{deployment_id}/push-token'
  | 'POST /v2/deployments/{deployment_id}/upload-url'
  | 'POST /v2/device/code'
  | 'POST /v2/listeners/{listener_id}/registry-credentials';
/** A second request does them twice. The compiler knows which they are. */
const doneTwice: Record<Exclude<UnkeptEndpoint, HarmlessEndpoint>, true> = {
  'POST /v2/api-keys': true,
  'POST /v2/auth/authenticate': true,
  'POST /v2/console-links': true,
  'POST /v2/console-sessions': true,
  'POST /v2/deployments/{deployment_id}/server-requests': true,
  'POST /v2/device/token': true,
  'POST /v2/token': true,
  'POST /v2/webhooks': true,
  'PATCH /v2/webhooks/{webhook_id}': true,
};

/** Refused before anything was done. */
const TURNED_AWAY = [429, 503];
const TRIES_MAX = 4;
/** A gateway gives up before. */
const TIMEOUT_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 300;
const PAUSE_MILLISECONDS_MAX = 10_000;
const RETRY_AFTER_SECONDS_MAX = 60;

/** Rejects as a request does once `signal` aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      // One signal may outlive many pauses.
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, milliseconds);
    signal?.addEventListener('abort', stop);
  });
  signal?.throwIfAborted();
}

/** Longer each time, and never the same for all who wait. */
export function pauseMillisecondsBefore(tries: number, { retryAfterSeconds = 0 }: Refusal): number {
  const grown = Math.min(PAUSE_MILLISECONDS * 2 ** tries, PAUSE_MILLISECONDS_MAX);
  const asked = Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX) * 1000;
  return asked + grown * (0.5 + Math.random() / 2);
}

/** `crypto.randomUUID` is missing from pages that came over plain HTTP. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

const headersFor = ({ apiKey, token, tenantId }: Credentials): Record<string, string> => ({
  ...(apiKey !== undefined && { 'X-Api-Key': apiKey }),
  ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  ...(tenantId !== undefined && { 'X-Tenant-Id': tenantId }),
});

type Wish = { endpoint: AnyEndpoint; address: string; body: unknown } & RequestOptions;
export type Send = (wish: Wish) => Promise<Response>;

const methodOf = (endpoint: string): string => endpoint.slice(0, endpoint.indexOf(' '));
const isDoneTwice = (endpoint: AnyEndpoint): boolean => endpoint in doneTwice;
const isKeyed = (endpoint: AnyEndpoint): boolean =>
  /^(?:POST|PATCH) /.test(endpoint) && !isDoneTwice(endpoint);

const mayAskAgain = (endpoint: AnyEndpoint, { status, isPassing }: Refusal): boolean =>
  isDoneTwice(endpoint) ? TURNED_AWAY.includes(status) : isPassing;

/** Sends a request until there is an answer that counts. Rejects with a `Refusal` for all but a success. */
export function sender(options: ClientOptions): Send {
  const { credentials, triesMax = TRIES_MAX, onAnswer } = options;
  const others = async () => (typeof credentials === 'function' ? credentials(true) : undefined);

  return async ({ endpoint, address, body, headers, ...more }) => {
    const asked = {
      Accept: 'application/json',
      // Who asks once needs none.
      ...(triesMax > 1 && isKeyed(endpoint) && { 'Idempotency-Key': randomKey() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...options.headers,
    };
    const init = { method: methodOf(endpoint), ...(body !== undefined && { body: JSON.stringify(body) }) };
    let who = typeof credentials === 'function' ? await credentials(false) : credentials;
    let isRenewed = false;
    for (let tries = 1; ; tries += 1) {
      const all = { ...asked, ...headersFor(who ?? {}), ...headers };
      const answer = await once({ ...options, ...more }, address, { ...init, headers: all });
      const refusal = await refusalIn(answer);
      const renewed = refusal?.status === 401 && !isRenewed ? await others() : undefined;
      if (renewed !== undefined) {
        who = renewed;
        isRenewed = true;
      } else if (refusal !== undefined && tries < triesMax && mayAskAgain(endpoint, refusal)) {
        await pause(pauseMillisecondsBefore(tries, refusal), more.signal);
      } else {
        if (answer instanceof Refusal) throw answer;
        onAnswer?.(answer, endpoint);
        if (refusal !== undefined) throw refusal;
        return answer;
      }
    }
  };
}

async function refusalIn(answer: Response | Refusal): Promise<Refusal | undefined> {
  if (answer instanceof Refusal) return answer;
  return answer.ok ? undefined : new Refusal(answer, await answer.json().catch(() => undefined));
}

/** The answer, or why there is none. Rejects once `signal` aborts. */
async function once(
  {
    url,
    fetch: send = fetch,
    timeoutMilliseconds = TIMEOUT_MILLISECONDS,
    signal,
  }: ClientOptions & RequestOptions,
  address: string,
  init: RequestInit,
): Promise<Response | Refusal> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMilliseconds);
  try {
    const either = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    // A key would be sent to wherever a redirect leads; the browser's own cache would keep answers on disk.
    return await send(address, { ...init, redirect: 'error', cache: 'no-store', signal: either });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const why = late.signal.aborted ? ` within ${timeoutMilliseconds / 1000} seconds` : causeOf(error);
    return new Refusal({ status: 0, detail: `${url || 'The API'} does not answer${why}.` }, undefined, error);
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` puts what happened into the cause of its error. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && error.cause.message !== ''
    ? `: ${error.cause.message}`
    : '';
