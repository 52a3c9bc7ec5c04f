import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSchedule } from '../../../lib/embedded/schedules.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a schedule', () => {
  it('runs at once, knowing that it is the first time, and then at every tick', async () => {
    const firsts: boolean[] = [];
    const run = async (first: boolean) => {
      firsts.push(first);
    };
    const schedule = startSchedule({ run, everySeconds: 60, onError: vi.fn() });
    expect(firsts).toEqual([true]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(firsts).toEqual([true, false, false]);
    await schedule.close();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(firsts).toHaveLength(3);
  });

  it('leaves out ticks while a run goes on, and waits for it at the end', async () => {
    const ends: (() => void)[] = [];
    const schedule = startSchedule({
      run: () => new Promise((resolve) => ends.push(resolve)),
      everySeconds: 1,
      onError: vi.fn(),
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ends).toHaveLength(2);
    let closed = false;
    const closing = schedule.close().then(() => {
      closed = true;
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(closed).toBe(false);
    ends[1]?.();
    await closing;
  });

  it('goes on after a run that failed', async () => {
    const onError = vi.fn();
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error('no');
    };
    const schedule = startSchedule({ run, everySeconds: 1, onError });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(runs).toBe(3);
    expect(onError).toHaveBeenCalledTimes(3);
    await schedule.close();
  });
});
