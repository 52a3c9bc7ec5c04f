import { describe, expect, it } from 'vitest';
import { OutputTail } from '../../../../lib/compute/process/output-tail.ts';
import { memoryKills, restartReasonOf } from '../../../../lib/compute/process/restart-reason.ts';
import { restartReason } from '../../../../lib/contract/deployments/counts.ts';

const silent = new OutputTail();

describe('the reason of a restart', () => {
  it.each([
    [{ code: 3, signal: null }, 'exit code 3'],
    [{ code: 0, signal: null }, 'exit code 0'],
    [{ code: null, signal: 'SIGSEGV' as const }, 'SIGSEGV'],
    [{ code: null, signal: null, error: 'spawn x ENOENT' }, 'did not start'],
  ])('of %j is %s', (exit, reason) => {
    expect(restartReasonOf(exit, silent, undefined)).toBe(reason);
    expect(restartReason.parse(reason)).toBe(reason);
  });

  it('is that memory was out, where the kernel or Node says so', () => {
    const killed = { code: null, signal: 'SIGKILL' } as const;
    expect(restartReasonOf(killed, silent, memoryKills())).toBe('SIGKILL');
    const kills = memoryKills();
    if (kills !== undefined) expect(restartReasonOf(killed, silent, kills - 1)).toBe('OOMKilled');
    const tail = new OutputTail();
    const line = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
    tail.set({ lines: [line], cause: undefined });
    expect(restartReasonOf({ code: null, signal: 'SIGABRT' }, tail, undefined)).toBe('OOMKilled');
  });
});
