import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  askServer,
  create,
  deployed,
  helloFrom,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';

const REQUEST_INTERVAL_MS = 50;
const STREAM_INTERVAL_MS = 1000;

type Answered = { sentAt: number; answeredAt: number; version: string };

/** A client that asks 20 times a second, however long answers take, until it is stopped. */
function startClient(deployment: ShownDeployment) {
  const stopping = new AbortController();
  const failures: string[] = [];
  const answers: Answered[] = [];
  const requests: Promise<void>[] = [];
  const ask = async () => {
    const sentAt = performance.now();
    const { version } = await helloFrom(deployment);
    answers.push({ sentAt, answeredAt: performance.now(), version });
  };
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      requests.push(ask().catch((error: unknown) => void failures.push(String(error))));
      await delay(REQUEST_INTERVAL_MS);
    }
    await Promise.all(requests);
  })();
  return {
    answers,
    failures,
    stop: async () => {
      stopping.abort();
      await asking;
      return requests.length;
    },
  };
}

type Stream = { endedAt: number; text: string };

/**
 * Opens a five second stream each second until the work has ended, so that one is open across the switch on a
 * slow machine too.
 */
async function streamsDuring(deployment: ShownDeployment, work: Promise<unknown>): Promise<Stream[]> {
  const streams: Promise<Stream>[] = [];
  const open = async () => {
    const text = await (await askServer(deployment, '/stream')).text();
    return { text, endedAt: performance.now() };
  };
  let working = true;
  const ended = work.finally(() => {
    working = false;
  });
  while (working) {
    streams.push(open());
    await Promise.race([ended, delay(STREAM_INTERVAL_MS)]);
  }
  await ended;
  return Promise.all(streams);
}

const longestGapMs = (answers: Answered[]): number =>
  Math.round(
    Math.max(...answers.map((one, index) => one.answeredAt - (answers[index - 1] ?? one).answeredAt)),
  );

/** Needs a drain longer than a stream of the example takes: five seconds, and more in a slow hour. */
export function switchTests(program: () => Program): void {
  it('switches to a new commit without a failed request, and an open streaming response is complete', async () => {
    const repository = await gitRepository(await helloFiles('v1'));
    const deployment = await deployed(program(), await create(program(), 'switched', repository.url));
    repository.git('checkout', '--quiet', '-b', 'next');
    await repository.commit(await helloFiles('v2'));

    const client = startClient(deployment);
    const work = (async () => {
      const changed = await patch(program(), deployment.id, { source_revision_config: { repo_ref: 'next' } });
      await deployed(program(), changed);
    })();
    const streams = await streamsDuring(deployment, work);
    const requests = await client.stop();

    const { failures, answers } = client;
    process.stdout.write(
      `requests=${requests} failures=${failures.length} longest_gap_ms=${longestGapMs(answers)} streams=${streams.length}\n`,
    );
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(50);
    const firstOfNew = answers.find((one) => one.version === 'v2')?.answeredAt ?? 0;
    expect(firstOfNew).toBeGreaterThan(0);
    // Once somebody has seen the new version nobody who asks later sees the old one.
    expect(answers.filter((one) => one.version !== 'v2' && one.sentAt > firstOfNew)).toEqual([]);
    for (const { text } of streams) expect(text).toMatch(/^(chunk \d+ of 50 from (v1|v2)\n){50}end\n$/);
    const across = streams.filter((one) => one.text.includes('from v1') && one.endedAt > firstOfNew);
    expect(across.length).toBeGreaterThan(0);
    expect(across.filter((one) => one.text.includes('from v2'))).toEqual([]);
  });
}
