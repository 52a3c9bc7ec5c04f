import { describe, expect, it, onTestFinished } from 'vitest';
import type { CountsRow, Unmeasured } from '../../../lib/contract/deployments/counts.ts';
import type { ClaimResponse } from '../../../lib/features/listener-protocol/shape.ts';
import { pause } from '../../../lib/listener/backoff.ts';
import { ClaimLoop } from '../../../lib/listener/claim-loop.ts';
import type { ClaimBody } from '../../../lib/listener/control-plane.ts';
import { HeldTask } from '../../../lib/listener/held-task.ts';
import { ControlPlaneRefused } from '../../../lib/listener/http.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { until } from '../../support/until.ts';

const TASKS_AT_ONCE = 3;

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

type Claim = {
  body: ClaimBody;
  signal: AbortSignal;
  answer: (with_?: Partial<ClaimResponse>) => void;
  refuse: (status: number) => void;
};

/** A loop whose claims the test answers. */
function aLoop(
  held: string[] = [],
  waiting: CountsRow[] = [],
  missing: () => Unmeasured[] = () => [],
  more: { doorbell?: { isOpen: () => boolean; learned: () => void }; onRest?: (rest: number) => void } = {},
) {
  const claims: Claim[] = [];
  const applied: ClaimResponse[] = [];
  const end = new AbortController();
  const loop = new ClaimLoop({
    controlPlane: {
      claim: (body, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          const answer: Claim['answer'] = (with_) =>
            resolve({ tasks: [], cancelled: [], poll_after_seconds: 0, ...with_ });
          const refuse = (status: number) => reject(new ControlPlaneRefused(status, `HTTP ${status}`));
          claims.push({ body, signal, answer, refuse });
        }),
    },
    instanceId: 'one',
    version: '1',
    log: createLog('error', () => undefined),
    pause,
    tasksAtOnce: TASKS_AT_ONCE,
    holding: () => held,
    unmeasured: missing,
    counts: {
      due: () => [...waiting],
      settle: async (rows) => void waiting.splice(0, rows.length),
    },
    onAnswer: (answer) => applied.push(answer),
    ...more,
  });
  const running = loop.run(end.signal);
  const stop = () => {
    end.abort();
    return running;
  };
  onTestFinished(stop);
  const claim = async (n: number): Promise<Claim> =>
    until(() => claims[n], { what: `claim ${n}`, firstMs: 1 });
  return { loop, claims, applied, claim, stop };
}

describe('claiming', () => {
  it('names what is held, and waits long only with a free hand', async () => {
    const held = [id(1)];
    const { claim } = aLoop(held);
    const first = await claim(0);
    expect(first.body).toMatchObject({
      holding: [id(1)],
      max: TASKS_AT_ONCE,
      wait_seconds: 20,
      platform: expect.stringMatching(/^\w+\/\w+$/),
    });
    while (held.length < TASKS_AT_ONCE) held.push(id(held.length + 1));
    first.answer();
    expect((await claim(1)).body).toMatchObject({ holding: held, wait_seconds: 1 });
  });

  it('again gives up the claim that is held, and is done when the next is answered', async () => {
    const { loop, claim, applied } = aLoop();
    const first = await claim(0);
    let done = 0;
    const asked = [loop.again(), loop.again()].map((again) => again.then(() => (done += 1)));
    const second = await claim(1);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
    expect(second.body.wait_seconds).toBe(0);
    // Asked for after the second was sent, so that its answer does not count.
    const late = loop.again().then(() => (done += 1));
    const third = await claim(2);
    expect([second.signal.aborted, done]).toEqual([true, 0]);
    third.answer({ cancelled: [id(7)] });
    await Promise.all([...asked, late]);
    expect(applied.map(({ cancelled }) => cancelled)).toEqual([[id(7)]]);
    expect((await claim(3)).body.wait_seconds).toBe(20);
  });

  it('again does not wait for a pause to end, nor for a loop that has ended', async () => {
    const { loop, claim, applied, stop } = aLoop();
    (await claim(0)).answer({ poll_after_seconds: 3600 });
    const again = loop.again();
    (await claim(1)).answer({ poll_after_seconds: 3600 });
    await again;
    expect(applied).toHaveLength(2);
    const unanswered = loop.again();
    await claim(2);
    await stop();
    await unanswered;
    await loop.again();
    expect(applied).toHaveLength(2);
  });
});

describe('the lease of a held task', () => {
  const task = {
    kind: 'DELETE' as const,
    task_id: id(1),
    lease_id: id(2),
    lease_seconds: 60,
    revision_id: null,
  };
  const whole = { ...task, deployment_id: id(3), epoch: 1 };

  it('is asked for again at a conflict, and used when it was renewed', async () => {
    const doubts: boolean[] = [];
    const held: HeldTask = new HeldTask(whole, async () => {
      doubts.push(held.inDoubt);
      held.leaseId = id(4);
    });
    const seen: string[] = [];
    const answer = await held.underLease(async (lease) => {
      seen.push(lease);
      return lease === id(4) ? { stop: false } : 'conflict';
    });
    expect(answer).toEqual({ stop: false });
    expect(seen).toEqual([id(2), id(4)]);
    expect([...doubts, held.inDoubt]).toEqual([true, false]);
  });

  it('is lost when it is still the same afterwards', async () => {
    const held = new HeldTask(whole, async () => undefined);
    expect(await held.underLease(async () => 'conflict')).toBe('conflict');
  });
});

describe('counts on claims', () => {
  const row: CountsRow = { deployment_id: id(1), revision_id: id(2), minute: 7, requests: { all: 3 } };

  it('go with each claim until one is answered, and a claim without any names none', async () => {
    const waiting = [row];
    const { loop, claim } = aLoop([], waiting);
    expect((await claim(0)).body.counts).toEqual([row]);
    void loop.again();
    const second = await claim(1);
    expect(second.body.counts).toEqual([row]);
    second.answer();
    expect((await claim(2)).body).not.toHaveProperty('counts');
    expect(waiting).toEqual([]);
  });

  it('that are refused as malformed do not keep work from being claimed', async () => {
    const waiting = [row];
    const { claim, loop } = aLoop([], waiting);
    (await claim(0)).refuse(422);
    await until(() => waiting.length === 0, { what: 'the counts to be dropped', firstMs: 1 });
    loop.wake();
    expect((await claim(1)).body).not.toHaveProperty('counts');
  });

  it('wait while the key is refused', async () => {
    const waiting = [row];
    const { claim, loop } = aLoop([], waiting);
    (await claim(0)).refuse(401);
    void loop.again();
    expect((await claim(1)).body.counts).toEqual([row]);
  });

  it('what cannot be measured is told once, and again when it has changed', async () => {
    const missing: Unmeasured[] = [{ what: 'cpu', why: 'Nobody measures it.' }];
    const { claim } = aLoop([], [], () => missing);
    const first = await claim(0);
    expect(first.body.missing).toEqual(missing);
    first.answer();
    const second = await claim(1);
    expect(second.body).not.toHaveProperty('missing');
    missing.pop();
    second.answer();
    expect((await claim(2)).body.missing).toEqual([]);
  });
});

describe('a doorbell', () => {
  it('is said to be open, and rings for another claim, once for all rings during one', async () => {
    const isOpen = { now: false };
    const learned: unknown[][] = [];
    const rests: number[] = [];
    const { loop, claim, claims } = aLoop([], [], () => [], {
      doorbell: { isOpen: () => isOpen.now, learned: (...all: unknown[]) => void learned.push(all) },
      onRest: (rest) => void rests.push(rest),
    });
    const first = await claim(0);
    expect(first.body).not.toHaveProperty('doorbell');
    isOpen.now = true;
    for (let ring = 0; ring < 3; ring++) loop.wake();
    const doorbell = { url: 'doorbell', rings: true };
    first.answer({ poll_after_seconds: 300, doorbell });
    const second = await claim(1);
    expect(second.body).toMatchObject({ doorbell: true });
    second.answer({ poll_after_seconds: 300, doorbell });
    await until(() => rests.length === 2, { what: 'its rest', firstMs: 1 });
    expect([claims.length, rests]).toEqual([2, [300_000, 300_000]]);
    expect(learned).toEqual([
      [doorbell, false],
      [doorbell, true],
    ]);
    loop.wake();
    await claim(2);
  });
});
