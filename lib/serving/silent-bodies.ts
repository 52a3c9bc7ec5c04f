import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * A body that brings no byte for so long is ended: whoever sends it is gone, or keeps connections on purpose.
 */
export const BODY_SILENCE_MILLISECONDS = 30_000;

/**
 * Looks at one body within that time. Looks are counted, not the clock: while this process is kept from
 * running, bytes that have come are not read either.
 */
const LOOKS = 10;

export const BODY_SILENT = 'The body of this request stopped before its end. Send the request again.';

/**
 * Calls `onSilent` for each request whose body brings no byte for so long; one that is slow but steady goes
 * on, and so does whatever this side does after the body's end or while it has enough of the body to work on.
 * The connection ends; where no answer has begun, `refuse` writes one.
 */
export function endSilentBodies(
  server: Server,
  milliseconds: number,
  refuse: (response: ServerResponse) => void,
): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!bringsBody(request)) return;
    watch(request, milliseconds, () => {
      if (response.headersSent) return void request.socket.destroy();
      response.setHeader('connection', 'close');
      // Node forgets a request once it is answered: whoever reads its body would wait for ever.
      response.once('close', () => request.destroy());
      refuse(response);
    });
  });
}

/** Whether a request has a body, empty or not. */
function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function watch(request: IncomingMessage, milliseconds: number, onSilent: () => void): void {
  const { socket } = request;
  let readBytes = socket.bytesRead;
  let silentLooks = 0;
  const look = () => {
    if (request.complete || socket.destroyed) return clearInterval(timer);
    // With a full buffer it is we who do not read on.
    const isFull = request.readableLength >= request.readableHighWaterMark;
    silentLooks = isFull || socket.bytesRead !== readBytes ? 0 : silentLooks + 1;
    readBytes = socket.bytesRead;
    if (silentLooks < LOOKS) return;
    clearInterval(timer);
    onSilent();
  };
  const timer = setInterval(look, milliseconds / LOOKS).unref();
  request.once('end', () => clearInterval(timer));
  request.once('close', () => clearInterval(timer));
}
