import { describe, expect, it } from 'vitest';
import type { MinuteCounts } from '../../../../lib/contract/deployments/counts.ts';
import { isWorthTelling } from '../../../../lib/listener/counts/worth-telling.ts';

const MEBIBYTE = 1024 * 1024;

const idle: MinuteCounts = {
  requests: { all: 0 },
  bytes_in: 0,
  bytes_out: 0,
  streams: 0,
  in_flight: 0,
  servers_wanted: 1,
  servers_ready: 1,
  restarts: [],
  cpu_cores: 0.01,
  memory_bytes: 200 * MEBIBYTE,
};

describe('a minute is worth telling', () => {
  it('not while a server only waits', () => {
    expect(isWorthTelling(idle, idle)).toBe(false);
    const moved = { ...idle, cpu_cores: 0.05, memory_bytes: 215 * MEBIBYTE };
    expect(isWorthTelling(moved, idle)).toBe(false);
    expect(isWorthTelling({ servers_wanted: 0, servers_ready: 0, memory_bytes: 0 }, undefined)).toBe(false);
  });

  it.each<[string, MinuteCounts]>([
    ['requests', { requests: { all: 1 } }],
    ['an answer that broke', { requests: { all: 0, failed: 1 } }],
    ['bytes of a stream', { bytes_out: 10 }],
    ['a stream that was opened', { streams: 1 }],
    ['a restart', { restarts: [{ reason: 'SIGSEGV', count: 1 }] }],
    ['a server that is away', { servers_ready: 0 }],
    ['a processor at work', { cpu_cores: 0.4 }],
    ['memory that grows', { memory_bytes: 300 * MEBIBYTE }],
    ['runs', { runs: { begun: 1 } }],
    ['runs that wait', { runs: { waiting: 2 } }],
  ])('for %s', (_, more) => {
    expect(isWorthTelling({ ...idle, ...more }, idle)).toBe(true);
  });

  it('when it is the first one of a server, and the first quiet one', () => {
    expect(isWorthTelling(idle, undefined)).toBe(true);
    expect(isWorthTelling(idle, { ...idle, cpu_cores: 0.9 })).toBe(true);
    expect(isWorthTelling(idle, { ...idle, in_flight: 3 })).toBe(true);
  });
});
