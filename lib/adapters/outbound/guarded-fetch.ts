import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { type AddressRules, hostProblem, mayReach, notPublic } from './addresses.ts';

/**
 * What was asked for is not allowed, or more came than is read; `message` says why, in words for who named
 * the address.
 */
export class AddressRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AddressRefused';
  }
}

export type GuardedInit = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
};
/** The part of `fetch` that guarded requests have. */
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;
type Options = { sizeBytesMax?: number; timeoutSeconds?: number; resolve?: Resolve };

const SIZE_BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_SECONDS = 30;
/** Statuses whose answers have no body. */
const EMPTY = new Set([204, 205, 304]);

/**
 * Makes the `fetch` for every address that a request has named. The host is resolved once, what it resolves
 * to is judged, and the connection goes to an address that was judged: another answer of the resolver a
 * moment later changes nothing. Redirects are given back and never followed. An answer that is too large, or
 * does not end in time, breaks off.
 */
export function createGuardedFetch(rules: AddressRules, options: Options = {}): GuardedFetch {
  const { sizeBytesMax = SIZE_BYTES_MAX, timeoutSeconds = TIMEOUT_SECONDS } = options;
  const resolve = options.resolve ?? ((host) => lookup(host, { all: true }));
  return async (address, init = {}) => {
    const url = new URL(address);
    const problem = protocolProblem(url, rules) ?? hostProblem(url, rules);
    if (problem !== undefined) throw new AddressRefused(problem);
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const signal = init.signal === undefined ? timeout : AbortSignal.any([init.signal, timeout]);
    const answer = await send(url, { ...init, signal }, judgedLookup(url, rules, resolve));
    return responseOf(answer, sizeBytesMax);
  };
}

function protocolProblem({ protocol }: URL, { loopback }: AddressRules): string | undefined {
  if (protocol === 'https:' || (protocol === 'http:' && loopback)) return undefined;
  return `${protocol} is not spoken here, only https:`;
}

/** What the socket asks for addresses: it connects to those that are given here and to no others. */
const judgedLookup =
  (url: URL, rules: AddressRules, resolve: Resolve): LookupFunction =>
  (host, { all }, callback) => {
    resolve(host).then(
      (found) => {
        const usable = found.filter(({ address }) => mayReach(url, address, rules));
        const [first] = usable;
        if (first === undefined) callback(new AddressRefused(notPublic(host)), '');
        else if (all === true) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      // What resolvers reject with.
      (error: unknown) => callback(error as Error, ''),
    );
  };

function send(
  url: URL,
  { method = 'GET', headers = {}, body, signal }: GuardedInit,
  lookupFunction: LookupFunction,
): Promise<IncomingMessage> {
  const request = url.protocol === 'http:' ? requestPlain : requestTls;
  // No connection is kept: the next request is resolved and judged anew.
  const settings = { method, headers, signal, agent: false, lookup: lookupFunction } as const;
  return new Promise((resolve, reject) => {
    request(url, settings, resolve)
      .on('error', (error) => reject(signal?.aborted === true ? (signal.reason as Error) : error))
      .end(body);
  });
}

function responseOf(answer: IncomingMessage, sizeBytesMax: number): Response {
  const status = answer.statusCode ?? 0;
  // Who reads the body hears of an error there; nobody may be reading it any more.
  answer.on('error', () => undefined);
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const init = { status, statusText: answer.statusMessage ?? '', headers };
  if (EMPTY.has(status)) {
    answer.resume();
    return new Response(null, init);
  }
  return new Response(Readable.toWeb(Readable.from(limited(answer, sizeBytesMax))) as ReadableStream, init);
}

async function* limited(answer: IncomingMessage, sizeBytesMax: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const part of answer as AsyncIterable<Uint8Array>) {
    sizeBytes += part.byteLength;
    if (sizeBytes > sizeBytesMax) throw new AddressRefused(`its answer is larger than ${sizeBytesMax} bytes`);
    yield part;
  }
}
