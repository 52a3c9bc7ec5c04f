import { Ended } from './ends.ts';
import { isLoopback } from './local-credentials.ts';
import type { Shell } from './shell.ts';

/** No file of an installation is larger. */
const SIZE_BYTES_MAX = 8_000_000;

/** What `manifest.json` says of a file. */
type Facts = { name: string; sha256: string; size_bytes: number };
export type Manifest = { version: string; package: Facts; program: Facts };

/**
 * A file below `/cli` of the installation in use, from nowhere else: over TLS, or from this machine. Throws
 * `Ended` when it does not come.
 */
export async function served({ access, world }: Shell, name: string): Promise<Buffer> {
  const address = `${access.url}/cli/${name}`;
  if (!address.startsWith('https:') && !isLoopback(address))
    throw new Ended(`${address} is not fetched: what comes over http may be anybody's. Use https.`);
  try {
    const answer = await world.fetch(address, { signal: world.signal, redirect: 'error' });
    if (!answer.ok) throw new Ended(`${address} was answered with ${answer.status}.`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (bytes.length <= SIZE_BYTES_MAX) return bytes;
    throw new Ended(`${address} is larger than any file of an installation.`);
  } catch (error) {
    if (error instanceof Ended || world.signal.aborted) throw error;
    throw new Ended(`${address} does not answer: ${causeOf(error)}`);
  }
}

/** A JSON file of the installation, as it writes it. */
export async function servedJson<T>(shell: Shell, name: string): Promise<T> {
  const text = (await served(shell, name)).toString();
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of it is checked where it is used
    return JSON.parse(text) as T;
  } catch {
    throw new Ended(`${shell.access.url}/cli/${name} is no JSON: is this address an installation's?`);
  }
}

/** Why a request did not come through. */
export const causeOf = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? error.cause.message
      : error.message
    : String(error);
