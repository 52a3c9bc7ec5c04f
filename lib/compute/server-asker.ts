import type { AskServer } from './release-check.ts';

/** State may be long, and is read for its next nodes alone. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Asks the agent server whose paths follow this address. */
export const askAt =
  (address: string): AskServer =>
  async (method, path, body, signal) => {
    const response = await fetch(`${address}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal,
      redirect: 'manual',
    });
    return { status: response.status, body: await jsonOf(response) };
  };

/** The JSON of an answer; undefined: it is none, or too long. */
async function jsonOf(response: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  if (body === undefined) return undefined;
  for await (const part of body) {
    size += part.byteLength;
    // Leaving the loop ends the answer.
    if (size > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}
