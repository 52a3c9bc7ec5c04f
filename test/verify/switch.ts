import { setTimeout as delay } from 'node:timers/promises';

/** How a deployment's address is reached. */
export type Reach = (url: string, init?: RequestInit) => Promise<Response>;

/** A stream that is open so long (seconds), of which so many in its middle nothing comes. */
export type StreamWish = { seconds: number; silentSeconds: number };

export type Watched = {
  /** Requests that were sent while something changed, and in words those that did not end with 200. */
  requests: number;
  failures: string[];
};

const REQUESTS_A_SECOND = 4;
const SHOWN_FAILURES = 5;

/** Asks an address a few times a second while `work` goes on. Throws what `work` throws. */
export async function asking(reach: Reach, url: string, work: () => Promise<void>): Promise<Watched> {
  const watched: Watched = { requests: 0, failures: [] };
  const over = new AbortController();
  const pending: Promise<void>[] = [];
  const ask = async () => {
    watched.requests += 1;
    try {
      const answer = await reach(url);
      const text = await answer.text();
      if (answer.status !== 200) watched.failures.push(`${answer.status} ${text.slice(0, 100)}`);
    } catch (error) {
      watched.failures.push(String(error));
    }
  };
  const going = (async () => {
    while (!over.signal.aborted) {
      pending.push(ask());
      await delay(1000 / REQUESTS_A_SECOND, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await going;
    await Promise.all(pending);
  }
  return watched;
}

/** Throws, with some of them, when a request has failed. */
export function expectNoneFailed({ requests, failures }: Watched): void {
  if (failures.length > 0)
    throw new Error(
      `${failures.length} of ${requests} requests failed: ${failures.slice(0, SHOWN_FAILURES).join('; ')}`,
    );
}

/**
 * Keeps a stream open while `change` puts another revision in place, and asks the address all the while.
 * Throws when a request failed, when the stream was cut or was over before the change, or when it did not
 * pause as long as was asked for.
 */
export async function streamAcrossSwitch(
  reach: Reach,
  url: string,
  { seconds, silentSeconds }: StreamWish,
  change: () => Promise<void>,
): Promise<Watched> {
  let isChanged = false;
  const watched = await asking(reach, `${url}/`, async () => {
    const streamed = readStream(
      reach,
      `${url}/stream?seconds=${seconds}&silent=${silentSeconds}`,
      () => isChanged,
    );
    // A change that fails ends the wait; the stream ends by itself.
    streamed.catch(() => undefined);
    await change();
    isChanged = true;
    expectWhole(await streamed, silentSeconds);
  });
  expectNoneFailed(watched);
  return watched;
}

type Streamed = { text: string; longestPauseSeconds: number; endedAfterChange: boolean };

async function readStream(reach: Reach, url: string, isChanged: () => boolean): Promise<Streamed> {
  const answer = await reach(url);
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`The stream is answered with ${answer.status}`);
  const decoder = new TextDecoder();
  let text = '';
  let longestPauseMs = 0;
  let heardAt = Date.now();
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    longestPauseMs = Math.max(longestPauseMs, Date.now() - heardAt);
    heardAt = Date.now();
  }
  return { text, longestPauseSeconds: longestPauseMs / 1000, endedAfterChange: isChanged() };
}

/** A timer may be a little early, and bytes arrive as the network has them. */
const PAUSE_TOLERANCE_SECONDS = 2;

function expectWhole({ text, longestPauseSeconds, endedAfterChange }: Streamed, silentSeconds: number): void {
  const lines = text.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  const versions = new Set(lines.slice(0, -1).map((line) => line.split(' ')[2]));
  const isInOrder = lines.slice(0, -1).every((line, index) => line.startsWith(`tick ${index + 1} `));
  if (last !== 'end' || !isInOrder || versions.size !== 1)
    throw new Error(
      `The stream was cut, or is not of one server: its last line is '${last}', after ${lines.length}`,
    );
  if (!endedAfterChange) throw new Error('The stream was over before the other revision was in place');
  if (longestPauseSeconds < silentSeconds - PAUSE_TOLERANCE_SECONDS)
    throw new Error(
      `The stream was to be silent for ${silentSeconds} s, and was for ${longestPauseSeconds.toFixed(1)} s`,
    );
}
