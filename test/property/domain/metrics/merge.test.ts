import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MinuteCounts } from '../../../../lib/contract/deployments/counts.ts';
import { countOf } from '../../../../lib/domain/metrics/histogram.ts';
import { merge, mergeAll } from '../../../../lib/domain/metrics/merge.ts';
import { minutes } from './minutes.ts';

const ways = fc.constantFrom('instances', 'times', 'revisions');
const restartsOf = ({ restarts = [] }: MinuteCounts) => restarts.reduce((sum, each) => sum + each.count, 0);

/** What was counted, in figures that must add up whatever is put together. */
const counted = (counts: MinuteCounts) => [
  counts.requests?.all ?? 0,
  counts.requests?.failed ?? 0,
  counts.requests?.['5xx'] ?? 0,
  counts.latency === undefined ? 0 : countOf(counts.latency),
  counts.latency?.sum_ms ?? 0,
  counts.bytes_in ?? 0,
  counts.bytes_out ?? 0,
  restartsOf(counts),
  counts.runs?.begun ?? 0,
  counts.runs?.durations === undefined ? 0 : countOf(counts.runs.durations),
];

describe('minutes that are put together', () => {
  it('lose and invent nothing that was counted, and add up in any grouping', () => {
    const property = fc.property(
      fc.array(minutes, { minLength: 1, maxLength: 8 }),
      ways,
      fc.nat(),
      (all, way, at) => {
        const cut = at % all.length;
        const whole = mergeAll(all, way) ?? {};
        const sums = all.map(counted).reduce((a, b) => a.map((each, place) => each + (b[place] ?? 0)));
        expect(counted(whole)).toEqual(sums);
        const [before, after] = [mergeAll(all.slice(0, cut), way), mergeAll(all.slice(cut), way) ?? {}];
        const grouped = before === undefined ? after : merge(before, after, way);
        expect({ ...grouped, restarts: undefined }).toEqual({ ...whole, restarts: undefined });
      },
    );
    fc.assert(property);
  });

  it('know what one of them knows, and nothing that none of them does', () => {
    fc.assert(
      fc.property(minutes, minutes, ways, (a, b, way) => {
        const known = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
        expect(Object.keys(merge(a, b, way)).sort()).toEqual(known);
      }),
    );
  });

  it('tell of what is there at a moment the most, the latest, or all together', () => {
    const [first, second] = [
      { in_flight: 7, servers_ready: 2 },
      { in_flight: 3, servers_ready: 1 },
    ];
    expect(merge(first, second, 'times')).toEqual({ in_flight: 7, servers_ready: 1 });
    expect(merge(second, first, 'instances')).toEqual({ in_flight: 7, servers_ready: 2 });
    expect(merge(first, second, 'revisions')).toEqual({ in_flight: 10, servers_ready: 3 });
  });

  it('tell apart at most eight reasons of restarts, and count the others as one', () => {
    const all = Array.from({ length: 20 }, (_, code) => ({
      restarts: [{ reason: `exit code ${code}`, count: 1 }],
    }));
    const { restarts = [] } = mergeAll(all, 'times') ?? {};
    expect(restarts).toHaveLength(8);
    expect(restarts.at(-1)).toEqual({ reason: 'other', count: 13 });
  });
});
