import { describe, expect, it } from 'vitest';
import { Overtaken } from '../../../../lib/compute/kubernetes/api-server.ts';
import { Leadership } from '../../../../lib/compute/kubernetes/leadership.ts';
import { createLog } from '../../../../lib/listener/log.ts';

type Answer = 'taken' | Error;

/**
 * A program that leads, in a time of its own, with what the cluster answers to its renewals and after how
 * many milliseconds; once there is no answer left, it is ended.
 */
async function leading(answers: [milliseconds: number, answer: Answer][]) {
  let time = 0;
  const ended: string[] = [];
  const led: boolean[] = [];
  const warnings: string[] = [];
  const leadership = new Leadership({
    api: {
      read: async () => undefined,
      create: async <T>(lease: T) => lease,
      replace: async <T>(lease: T) => {
        const [milliseconds, answer] = answers.shift() ?? [0, 'taken'];
        if (answers.length === 0) leadership.end();
        time += milliseconds;
        led.push(leadership.leads());
        if (answer !== 'taken') throw answer;
        return lease;
      },
    },
    namespace: 'slipway',
    listenerId: 'l1',
    holder: 'me',
    log: createLog('warn', (line) => warnings.push(line.replace(/^.*listener: /, ''))),
    pause: async (milliseconds) => void (time += milliseconds),
    now: () => time,
  });
  void leadership.lost.then((why) => ended.push(why));
  await leadership.lead();
  return { leadership, ended, led, warnings };
}

const away = new Error('connect ECONNREFUSED');

describe('a program that leads', () => {
  it('goes on though a renewal came late, where nobody else has taken the lease', async () => {
    const { leadership, ended, led } = await leading([
      [12_000, 'taken'],
      [0, 'taken'],
      [0, 'taken'],
    ]);
    await expect.poll(() => led).toHaveLength(3);
    // In between it begins nothing.
    expect(led).toEqual([false, false, true]);
    expect(leadership.leads()).toBe(true);
    expect(ended).toEqual([]);
  });

  it('is over when it could not renew its lease until its time was over', async () => {
    const { ended, led, warnings } = await leading([
      [0, away],
      [0, away],
      [0, 'taken'],
    ]);
    await expect.poll(() => ended).toEqual(['it could not renew its lease: connect ECONNREFUSED']);
    expect(led).toEqual([true, false]);
    expect(warnings).toEqual(['the lease was not renewed: connect ECONNREFUSED']);
  });

  it('is over when another has taken the lease', async () => {
    const { ended } = await leading([
      [0, new Overtaken('it has changed')],
      [0, 'taken'],
    ]);
    await expect.poll(() => ended).toEqual(['another one leads']);
  });
});
