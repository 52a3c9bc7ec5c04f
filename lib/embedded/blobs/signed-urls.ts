import { createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { NamedRefusal } from '../../serving/admission.ts';

const PREFIX = '/blobs/';

/** The signature of one method on one key until `expires` (epoch seconds). */
export type SignUrl = (method: string, key: string, expires: number) => string;
export type ServeSigned = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export function signer(signingKey: Uint8Array): SignUrl {
  return (method, key, expires) =>
    createHmac('sha256', signingKey).update(`${method}\n${key}\n${expires}`).digest('base64url');
}

type Deps = {
  sign: SignUrl;
  now: () => number;
  isKey: (key: string) => boolean;
  find: (key: string) => Promise<{ sizeBytes: number; path: string } | undefined>;
  put: (key: string, content: Readable) => Promise<unknown>;
  /** A larger body is refused. */
  sizeBytesMax: number;
};

const METHODS = ['GET', 'PUT'] as const;

/**
 * Answers requests for signed URLs: a GET with the object, a PUT by storing the body whole or not at all. 403
 * for a bad or expired signature (looked at before the object, so that nobody learns what exists), 404, 405,
 * 413.
 */
export function serveSigned(deps: Deps): ServeSigned {
  return async (request, response) => {
    const url = parseUrl(request.url);
    if (url === undefined || !url.pathname.startsWith(PREFIX)) return false;
    const key = url.pathname.slice(PREFIX.length);
    const method = METHODS.find((one) => one === request.method);
    const refusal =
      method === undefined ? methodRefusal(request) : signatureRefusal(deps, method, key, url.searchParams);
    if (refusal !== undefined) answerProblem(request, response, refusal);
    else if (method === 'PUT') await takeObject(deps, key, request, response);
    else await answerObject(deps, key, request, response);
    return true;
  };
}

type Refusal = NamedRefusal & { headers?: Record<string, string> };

function parseUrl(path: string | undefined): URL | undefined {
  return URL.parse(path ?? '/', 'http://localhost') ?? undefined;
}

function methodRefusal({ method }: IncomingMessage): Refusal {
  const allow = METHODS.join(', ');
  return {
    status: 405,
    code: 'method_not_allowed',
    detail: `Method ${method} is not allowed here; allowed: ${allow}.`,
    headers: { allow },
  };
}

function signatureRefusal(
  deps: Deps,
  method: string,
  key: string,
  query: URLSearchParams,
): Refusal | undefined {
  const given = query.get('signature') ?? '';
  const expiresText = query.get('expires') ?? '';
  const wellFormed = deps.isKey(key) && /^\d{1,12}$/.test(expiresText);
  if (!wellFormed || !sameText(given, deps.sign(method, key, Number(expiresText)))) {
    return { status: 403, code: 'signature_invalid', detail: 'The signature of this URL is not valid.' };
  }
  if (deps.now() > Number(expiresText) * 1000)
    return { status: 403, code: 'url_expired', detail: 'This URL has expired.' };
  return undefined;
}

/** Compares in a time that tells nothing about where two texts differ. */
function sameText(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

async function answerObject(deps: Deps, key: string, request: IncomingMessage, response: ServerResponse) {
  const found = await deps.find(key);
  if (found === undefined)
    return answerProblem(request, response, {
      status: 404,
      code: 'object_not_found',
      detail: 'Object not found.',
    });
  const headers = { 'content-type': 'application/octet-stream', 'content-length': found.sizeBytes };
  response.writeHead(200, { ...headers, 'cache-control': 'no-store' });
  try {
    await pipeline(createReadStream(found.path), response);
  } catch {
    // The client left or the file failed; pipeline has destroyed the connection, so a short body is never
    // taken for a whole one.
  }
}

class TooLarge extends Error {}

async function takeObject(deps: Deps, key: string, request: IncomingMessage, response: ServerResponse) {
  const tooLarge = {
    status: 413,
    code: 'object_too_large',
    detail: `The object is larger than ${deps.sizeBytesMax} bytes.`,
  };
  if (Number(request.headers['content-length'] ?? 0) > deps.sizeBytesMax)
    return answerProblem(request, response, tooLarge);
  try {
    await deps.put(key, Readable.from(limited(request, deps.sizeBytesMax), { objectMode: false }));
  } catch (error) {
    if (error instanceof TooLarge) return answerProblem(request, response, tooLarge);
    // The client left before the end: there is nobody to answer, and nothing was stored.
    if (request.destroyed && !request.complete) return;
    throw error;
  }
  response.writeHead(200, { 'content-length': 0 });
  response.end();
}

/** The body, up to the limit; the connection survives, so that the refusal can be told. */
async function* limited(request: IncomingMessage, sizeBytesMax: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > sizeBytesMax) throw new TooLarge();
    yield chunk;
  }
}

function answerProblem(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify({ detail: refusal.detail, code: refusal.code });
  // An unread request body would keep the connection busy.
  request.resume();
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
  response.end(body);
}
