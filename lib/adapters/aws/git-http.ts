import type { HttpClient } from 'isomorphic-git';

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
 * The HTTP of one ref lookup: ends with `signal`, follows no redirects (an allowed address must not lead to another one), and reads no
 * more than 16 MiB.
 */
export function createGitHttp(send: typeof fetch, signal: AbortSignal): GitHttp {
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const sent = body === undefined ? undefined : await bytesOf(body);
      const response = await send(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(sent !== undefined && { body: sent }),
      }).catch((error: unknown) => {
        throw new HttpRefused(connectionReason(error));
      });
      if (response.status >= 300 && response.status < 400) throw new HttpRefused(movedTo(response));
      return {
        url,
        method,
        statusCode: response.status,
        statusMessage: response.statusText,
        headers: Object.fromEntries(response.headers),
        body: limited(response),
      };
    },
  };
}

async function bytesOf(parts: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const bytes: Uint8Array[] = [];
  for await (const part of parts) bytes.push(part);
  return Buffer.concat(bytes);
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

async function* limited(response: Response): AsyncIterableIterator<Uint8Array> {
  let sizeBytes = 0;
  for await (const part of response.body ?? []) {
    sizeBytes += part.byteLength;
    if (sizeBytes > ANSWER_SIZE_BYTES_MAX)
      throw new HttpRefused('it has more refs than can be looked through');
    yield part;
  }
}
