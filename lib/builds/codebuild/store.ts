import { createWriteStream, openAsBlob } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { backOff } from 'exponential-backoff';
import { say } from './report.ts';

/** Downloads and uploads at signed addresses, which no text of an error or a log may hold. */

/** A client uploads 200 MiB at most; whatever is larger is not what was recorded. */
const DOWNLOAD_BYTES_MAX = 209_715_200;
const DOWNLOAD_SECONDS_MAX = 600;
const UPLOAD_SECONDS_MAX = 900;
const ATTEMPTS = 4;
const FIRST_DELAY_MILLISECONDS = 1000;

/** The store answered, or what it sent is too large: asking again would change nothing. */
class Refused extends Error {}

/** Downloads a file. False when it is not stored, too large, or cannot be read; the log says which. */
export function download(url: string, file: string): Promise<boolean> {
  return attempt('download', async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_SECONDS_MAX * 1000) });
    check(response);
    if (response.body === null) throw new Refused('the answer has no body');
    await pipeline(response.body, atMost(DOWNLOAD_BYTES_MAX), createWriteStream(file));
  });
}

/** Uploads a file. False when it could not be stored; the log says why. */
export function uploadFile(file: string, url: string): Promise<boolean> {
  return attempt('upload', async () => {
    const signal = AbortSignal.timeout(UPLOAD_SECONDS_MAX * 1000);
    // A blob has a size: a store takes no body of unknown length.
    const response = await fetch(url, { method: 'PUT', body: await openAsBlob(file), signal });
    check(response);
    await response.arrayBuffer();
  });
}

async function attempt(what: string, run: () => Promise<void>): Promise<boolean> {
  try {
    await backOff(run, {
      numOfAttempts: ATTEMPTS,
      startingDelay: FIRST_DELAY_MILLISECONDS,
      retry: (error: unknown) => !(error instanceof Refused),
    });
    return true;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    say(`The ${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  }
}

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

function check({ ok, status }: Response): void {
  if (ok) return;
  const reason = `the store answered ${status}`;
  throw TRANSIENT.has(status) ? new Error(reason) : new Refused(reason);
}

function atMost(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > bytesMax ? new Refused(`it has more than ${bytesMax} bytes`) : null, chunk);
    },
  });
}
