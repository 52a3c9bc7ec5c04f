import type { ServerAnswer, ServerCaller, ServerRequest } from '../adapters/server-caller.ts';
import { refuse } from '../contract/errors.ts';

/** An agent may think for minutes; nobody waits for longer than that in front of a page. */
const ANSWER_MILLISECONDS = 300_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Passes requests on to the port of the deployed servers on this machine, and nowhere else: whatever the
 * address, only its path counts, and where that leads out of the server the request is not sent. Redirects
 * are answers like others.
 */
export const createServerCaller =
  (agentsPort: () => number | undefined, limits: { bytesMax?: number } = {}): ServerCaller =>
  async (request) => {
    const url = addressOf(request, agentsPort());
    if (url === undefined) return 'elsewhere';
    const response = await fetch(url, {
      method: request.method,
      headers: request.headers.map(({ name, value }): [string, string] => [name, value]),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      ...(request.body !== undefined && { body: request.body }),
    }).catch(() => {
      throw refuse('unavailable', { what: 'The server' });
    });
    return answerOf(response, limits.bytesMax ?? ANSWER_BYTES_MAX);
  };

function addressOf({ serverUrl, path }: ServerRequest, port: number | undefined): URL | undefined {
  const own = URL.parse(serverUrl);
  if (own === null || port === undefined || own.port !== String(port) || own.pathname === '/')
    return undefined;
  const prefix = own.pathname.replace(/\/$/, '');
  const base = `http://127.0.0.1:${port}`;
  // Dots are resolved here, as the server's port would.
  const url = URL.parse(`${base}${prefix}${path}`);
  const isWithin = url !== null && url.origin === base && url.pathname.startsWith(`${prefix}/`);
  return isWithin ? url : undefined;
}

function answerOf(response: Response, bytesMax: number): ServerAnswer {
  let bytes = 0;
  const limited = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > bytesMax) controller.error(new Error(`the answer is longer than ${bytesMax} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const body = response.body ?? new Blob([]).stream();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: body.pipeThrough(limited),
  };
}
