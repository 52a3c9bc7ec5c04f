import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, bytes, cores, latency, percent } from '../../../console/logic/amount.ts';
import {
  isStill,
  labelledMarks,
  lastOf,
  peakOf,
  shapeOf,
  shareOf,
  slotAt,
  slotted,
  topOf,
  type Value,
} from '../../../console/logic/chart.ts';
import { beginningOf, momentOf } from '../../../console/logic/chart-time.ts';

const MINUTE = 60_000;
const at = Date.parse('2026-01-05T10:00:00Z');
const axis = { from: at, step: MINUTE, slots: 5 };
const value = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.constant('none' as const),
  fc.constant(null),
);

describe('the scale of a chart', () => {
  it('begins at zero and ends at a number that is easily read', () => {
    const tops = [[0], [1], [3], [184], [212], [0.016], [1_000], [], [null, 'none' as const]].map(topOf);
    expect(tops.map((top) => top.toPrecision(2))).toEqual(
      [1, 1, 3, 200, 250, 0.02, 1_000, 1, 1].map((top) => top.toPrecision(2)),
    );
  });

  it('holds every value, and is never much larger than the greatest', () => {
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const [top, most] = [topOf(values), peakOf(values) ?? 0];
        return top >= most * (1 - 1e-9) && (most === 0 ? top === 1 : top <= most * 1.5 * (1 + 1e-9));
      }),
    );
  });
});

describe('the shape of a line', () => {
  it('leaves gaps where nobody measured, and a base where nothing was asked', () => {
    expect(shapeOf([1, 2, null, 2, 'none'], 2, 40, 10)).toEqual({
      line: 'M0 5L10 0M30 0h.01',
      fill: 'M0 10L0 5L10 0L10 10ZM30 10L30 0L30 10Z',
      base: 'M40 10h.01',
    });
    expect(shapeOf([], 1)).toEqual({ line: '', fill: '', base: '' });
  });

  it('stays within its box, whatever the values', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 50 }), (values) => {
        const { line } = shapeOf(values, topOf(values), 100, 50);
        const points = line.split(/[ML]/).filter((point) => point !== '');
        expect(points.length).toBe(values.filter((each) => typeof each === 'number').length);
        for (const point of points) {
          const [x = -1, y = -1] = point.replace('h.01', '').split(' ').map(Number);
          expect([x >= 0 && x <= 100, y >= 0 && y <= 50]).toEqual([true, true]);
        }
      }),
    );
  });

  it('is still where something was measured and nothing happened', () => {
    const lines: Value[][] = [[0, 0], [0, null, 'none'], ['none'], [0, 1], [null, null], []];
    expect(lines.map(isStill)).toEqual([true, true, true, false, false, false]);
  });
});

describe('the values of a chart', () => {
  it('stand in the slots of their times, with gaps for those that were not told', () => {
    const points = [
      { at: '2026-01-05T10:01:00Z', all: 7 },
      { at: '2026-01-05T10:04:59Z', all: 9 },
      { at: '2026-01-05T09:59:59Z', all: 1 },
      { at: '2026-01-05T10:05:00Z', all: 1 },
    ];
    const values = slotted(points, axis, ({ all }) => all);
    expect(values).toEqual([null, 7, null, null, 9]);
    expect([peakOf(values), lastOf(values), peakOf([]), lastOf([null])]).toEqual([9, 9, null, null]);
  });

  it('are shares of what was asked', () => {
    expect([shareOf(1, 4), shareOf(0, 4), shareOf(0, 0)]).toEqual([0.25, 0, 'none']);
  });

  it('are pointed at by the slot that is nearest', () => {
    expect([-1, 0, 0.13, 0.5, 0.99, 2].map((share) => slotAt(share, 5))).toEqual([0, 0, 1, 2, 4, 4]);
    expect(slotAt(0.7, 1)).toBe(0);
  });
});

describe('the marks of a chart', () => {
  it('are those of its time, and of those that stand close the newest has its number', () => {
    const mark = (seconds: number, number: number) => ({
      at: at + seconds * 1_000,
      number,
      href: `/${number}`,
    });
    const long = { from: at, step: MINUTE, slots: 61 };
    const marks = labelledMarks(
      [mark(3_600, 4), mark(60, 2), mark(30, 1), mark(-1, 0), mark(3_601, 5)],
      long,
    );
    expect(marks.map(({ number, isLabelled }) => [number, isLabelled])).toEqual([
      [1, false],
      [2, true],
      [4, true],
    ]);
  });
});

describe('what stands at a chart', () => {
  it('are times as people say them', () => {
    const hour = { from: at, step: MINUTE, slots: 60 };
    const week = { from: at, step: 60 * MINUTE, slots: 168 };
    const month = { from: at, step: 24 * 60 * MINUTE, slots: 30 };
    const slots = [15, 60, 61, 120];
    expect(slots.map((each) => beginningOf({ ...hour, slots: each }))).toEqual([
      '15 min ago',
      '1 h ago',
      '1 h ago',
      '2 h ago',
    ]);
    expect(momentOf(at, hour)).toMatch(/^\d\d:\d\d$/);
    expect(momentOf(at, week)).toMatch(/^\d+ Jan,? \d\d:\d\d$/);
    expect(momentOf(at, month)).toMatch(/^\d+ Jan$/);
  });

  it('are numbers with their units', () => {
    expect([184, 10_840, 2.52, 0].map(amount)).toEqual(['184', '10,840', '2.5', '0']);
    expect([0, 0.0004, 0.002, 0.018, 0.5, 1].map(percent)).toEqual([
      '0 %',
      '< 0.1 %',
      '0.2 %',
      '1.8 %',
      '50 %',
      '100 %',
    ]);
    expect([0, 999, 1_000, 610e6, 1.5e9, 5e15].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '610 MB',
      '1.5 GB',
      '5,000 TB',
    ]);
    expect([0.4, 2, 0.125].map(cores)).toEqual(['0.4', '2', '0.13']);
    expect([0, 320, 999.6, 1_900, 240_000].map(latency)).toEqual(['0 ms', '320 ms', '1 s', '1.9 s', '4 min']);
  });
});
