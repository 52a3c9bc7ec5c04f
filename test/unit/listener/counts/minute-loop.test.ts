import { describe, expect, it, onTestFinished } from 'vitest';
import type { CountsRow, MinuteCounts } from '../../../../lib/contract/deployments/counts.ts';
import type { MeasuredRevision } from '../../../../lib/listener/counts/measured.ts';
import { MinuteLoop } from '../../../../lib/listener/counts/minute-loop.ts';
import { createLog } from '../../../../lib/listener/log.ts';
import { until } from '../../../support/until.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A loop whose clock the test moves, from one minute to the next. */
function aLoop(measured: (MinuteCounts | Error)[]) {
  let now = 1_000_000 * 60_000 + 12_345;
  const pauses: { milliseconds: number; go: () => void }[] = [];
  const added: { rows: readonly CountsRow[]; minute: number }[] = [];
  const minutes: MeasuredRevision[][] = [];
  const lines: string[] = [];
  const loop = new MinuteLoop({
    measure: async () => {
      const counts = measured.shift() ?? {};
      if (counts instanceof Error) throw counts;
      return [{ deploymentId: id(1), deploymentName: 'app', revisionId: id(2), counts }];
    },
    waiting: { add: async (rows, minute) => void added.push({ rows, minute }) },
    onMinute: (all) => void minutes.push(all),
    log: createLog('warn', (line) => lines.push(line)),
    pause: (milliseconds, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        pauses.push({ milliseconds, go: resolve });
      }),
    now: () => now,
  });
  const end = new AbortController();
  const running = loop.run(end.signal);
  onTestFinished(() => end.abort());
  const pass = async (milliseconds: number) => {
    const pause = await until(() => pauses.shift(), { what: 'the loop to wait', firstMs: 1 });
    now += milliseconds;
    pause.go();
    return pause.milliseconds;
  };
  const stop = async () => {
    end.abort();
    await running;
  };
  return { pass, stop, added, minutes, lines, pauses };
}

describe('the minutes of a listener', () => {
  it('end with those of the clock, and carry their number', async () => {
    const { pass, added, pauses } = aLoop([{ requests: { all: 1 } }, { requests: { all: 2 } }]);
    expect(await pass(47_655)).toBe(47_655);
    expect(await pass(60_000)).toBe(60_000);
    await until(() => pauses.length > 0, { what: 'the second minute', firstMs: 1 });
    expect(added.map(({ rows, minute }) => [rows[0]?.minute, rows[0]?.requests?.all, minute])).toEqual([
      [1_000_000, 1, 1_000_001],
      [1_000_001, 2, 1_000_002],
    ]);
  });

  it('are told when something happened, and heard of in every case', async () => {
    const quiet = { requests: { all: 0 }, servers_ready: 1 };
    const { pass, added, minutes, pauses } = aLoop([quiet, quiet, { ...quiet, requests: { all: 1 } }]);
    await pass(47_655);
    await pass(60_000);
    await pass(60_000);
    await until(() => pauses.length > 0, { what: 'the third minute', firstMs: 1 });
    expect(added.map(({ rows }) => rows.length)).toEqual([1, 0, 1]);
    expect(minutes.map((rows) => rows.length)).toEqual([1, 1, 1]);
  });

  it('go on after one that could not be measured', async () => {
    const { pass, added, lines, pauses } = aLoop([new Error('ps is away'), { requests: { all: 3 } }]);
    await pass(47_655);
    await pass(60_000);
    await until(() => pauses.length > 0, { what: 'the second minute', firstMs: 1 });
    expect(added.map(({ rows }) => rows[0]?.requests?.all)).toEqual([3]);
    expect(lines).toEqual([expect.stringContaining('ps is away')]);
  });

  it('the last of them is kept although it is not over', async () => {
    const { stop, added, pauses } = aLoop([{ requests: { all: 7 } }]);
    await until(() => pauses.length > 0, { what: 'the loop to wait', firstMs: 1 });
    await stop();
    expect(added).toMatchObject([{ minute: 1_000_000, rows: [{ minute: 1_000_000, requests: { all: 7 } }] }]);
  });
});
