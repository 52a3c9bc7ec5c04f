import type { HttpClient } from 'isomorphic-git';
import type { GuardedFetch } from '../outbound/guarded-fetch.ts';

/** A list of a hundred thousand refs; more is not what anybody deploys from. */
const ANSWER_SIZE_BYTES_MAX = 16 * 1024 * 1024;

export type GitHttp = HttpClient;

/** The server cannot be spoken to; `message` says why. */
export class HttpRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HttpRefused';
  }
}

/**
 * The HTTP of one ref lookup: ends with `signal`, follows no redirects (an allowed address must not lead to
 * another one), and reads no more than 16 MiB. An answer is read whole before it is passed on: the parser
 * takes a broken one for a short one, and refs that were cut off would read as refs that do not exist.
 */
export function createGitHttp(send: GuardedFetch, signal: AbortSignal): GitHttp {
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const sent = body === undefined ? undefined : await bytesOf(body);
      try {
        const response = await send(url, {
          method,
          headers,
          signal,
          ...(sent !== undefined && { body: sent }),
        });
        if (response.status >= 300 && response.status < 400) throw new HttpRefused(movedTo(response));
        return {
          url,
          method,
          statusCode: response.status,
          statusMessage: response.statusText,
          headers: Object.fromEntries(response.headers),
          body: once(await bytesOf(response.body ?? [])),
        };
      } catch (error) {
        throw error instanceof HttpRefused ? error : new HttpRefused(connectionReason(error));
      }
    },
  };
}

async function bytesOf(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer<ArrayBuffer>> {
  const bytes: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of parts) {
    sizeBytes += part.byteLength;
    if (sizeBytes > ANSWER_SIZE_BYTES_MAX) throw new HttpRefused('it sends more than can be looked through');
    bytes.push(part);
  }
  return Buffer.concat(bytes);
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}

/** Without its query, which is of the git protocol. */
function movedTo(response: Response): string {
  const [address = ''] = (response.headers.get('location') ?? '').split('/info/refs');
  return `it has moved to ${address === '' ? 'another address' : address}; name that address`;
}

/** fetch says "fetch failed"; its cause says what happened. */
function connectionReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : 'the connection failed';
}
