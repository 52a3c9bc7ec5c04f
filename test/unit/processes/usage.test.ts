import { describe, expect, it } from 'vitest';
import {
  parseCpuSeconds,
  parseKilobytes,
  parseUsages,
  psSource,
} from '../../../lib/processes/table/source.ts';

describe('what processes use', () => {
  it('is read from /proc, with the children that have ended', () => {
    const stat =
      '812 (node (x) y) S 1 812 812 0 -1 4194560 100 0 0 0 250 50 30 20 20 0 11 0 12345 1000000 5000 1844';
    expect(parseCpuSeconds(stat)).toBe(3.5);
    expect(parseKilobytes('Rss:  200 kB\nPss:         120 kB\n', 'Pss')).toBe(122_880);
    expect(parseKilobytes('Name:\tnode\n', 'VmRSS')).toBeUndefined();
  });

  it('is read as ps prints it, here and on macOS', () => {
    const text = [
      '  812  2048 00:01:02',
      '  813  1024 1-02:03:04',
      ' 814 10 1:02.34',
      ' 815 10 123:00.50',
      'x y z',
      '',
    ].join('\n');
    expect([...parseUsages(text)]).toEqual([
      [812, { cpuSeconds: 62, memoryBytes: 2_097_152 }],
      [813, { cpuSeconds: 93_784, memoryBytes: 1_048_576 }],
      [814, { cpuSeconds: 62.34, memoryBytes: 10_240 }],
      [815, { cpuSeconds: 7_380.5, memoryBytes: 10_240 }],
    ]);
  });

  it('is told by ps of a process that lives, and of no other', () => {
    const usages = psSource.usages([process.pid]);
    expect([...usages.keys()]).toEqual([process.pid]);
    expect(usages.get(process.pid)?.memoryBytes).toBeGreaterThan(10 * 1024 * 1024);
    expect(psSource.usages([]).size).toBe(0);
  });
});
