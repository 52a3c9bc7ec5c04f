import type { IncomingMessage } from 'node:http';

/** The largest event that Lambda takes. Handlers have a smaller limit of their own. */
export const BODY_BYTES_MAX = 6 * 1024 * 1024;

/** The whole body; `too_large` as soon as it is known to be, `gone` when the client left before its end. */
export function receiveBody(request: IncomingMessage): Promise<Buffer | 'too_large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) {
    // Read to its end and dropped: a client that is still sending would otherwise lose the answer with its
    // connection.
    request.resume();
    return Promise.resolve('too_large');
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too_large');
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}
