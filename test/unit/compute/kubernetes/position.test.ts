import { describe, expect, it } from 'vitest';
import { ContainerLogPosition, stampedLine } from '../../../../lib/compute/kubernetes/logs/position.ts';

describe('a line of a log', () => {
  it.each([
    ['2026-11-21T10:00:00.000000001Z one', 1n, 'one'],
    ['2026-11-21T10:00:00.5Z  two ', 500_000_000n, ' two '],
    ['2026-11-21T12:00:00+02:00 ', 0n, ''],
    ['2026-11-21T10:00:01Z', 1_000_000_000n, ''],
  ])('%j has a time', (line, nanoseconds, message) => {
    const at = BigInt(Date.parse('2026-11-21T10:00:00Z')) * 1_000_000n + nanoseconds;
    expect(stampedLine(line)).toEqual({ at, message });
  });

  it.each(['', 'Unable to retrieve container logs', '2026-11-21 x'])('%j has none', (line) => {
    expect(stampedLine(line)).toBeUndefined();
  });
});

describe('how far a log was read', () => {
  const second = 1_000_000_000n;

  it('begins at a time', () => {
    const position = new ContainerLogPosition(new Date(5_000));
    expect(position.rewind()).toBe('1970-01-01T00:00:04.000Z');
    expect([4n * second, 5n * second, 5n * second, 6n * second].map((at) => position.take(at))).toEqual([
      ...[false, true, true, true],
    ]);
  });

  it('finds the place again, by the lines since the newest time', () => {
    const position = new ContainerLogPosition(undefined);
    expect(position.rewind()).toBeUndefined();
    const lines = [1n, 5n * second, 5n * second, 4n * second];
    expect(lines.map((at) => position.take(at))).toEqual([true, true, true, true]);
    expect(position.rewind()).toBe('1970-01-01T00:00:04.000Z');
    expect([...lines, 4n * second, 5n * second].map((at) => position.take(at))).toEqual([
      ...[false, false, false, false],
      ...[true, true],
    ]);
  });

  it('goes on where the log now begins when what was read is gone', () => {
    const position = new ContainerLogPosition(undefined);
    position.take(5n * second);
    position.rewind();
    expect(position.take(6n * second)).toBe(true);
    expect(position.take(6n * second)).toBe(true);
  });

  it('knows what may have been written later, of times in whole seconds', () => {
    const position = new ContainerLogPosition(new Date(5_900));
    expect([4_000, 5_000, 6_000].map((at) => position.isBefore(at))).toEqual([false, true, true]);
    expect(new ContainerLogPosition(undefined).isBefore(0)).toBe(true);
  });
});
