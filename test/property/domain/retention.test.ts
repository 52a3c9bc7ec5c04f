import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retain, type StoredArtifact } from '../../../lib/domain/retention.ts';

const number = fc.integer({ min: 1, max: 400 });
const stored = fc.uniqueArray(fc.record({ number, sizeBytes: fc.nat() }), {
  selector: (artifact) => artifact.number,
  maxLength: 300,
});
const numbers = fc.array(number, { maxLength: 20 }).map((found) => new Set(found));
const newest = fc.integer({ min: 1, max: 10 });

const numbersOf = (artifacts: readonly StoredArtifact[]) => artifacts.map((artifact) => artifact.number);

describe('the rule of retention', () => {
  it('loses sight of no artifact, and puts each on one side', () => {
    fc.assert(
      fc.property(stored, numbers, numbers, newest, (all, needed, dropped, count) => {
        const result = retain(all, needed, dropped, count);
        const both = [...numbersOf(result.kept), ...numbersOf(result.dropped)];
        expect(both.sort((a, b) => a - b)).toEqual(numbersOf(all).sort((a, b) => a - b));
      }),
    );
  });

  it('drops nothing that is needed, and none of the newest, unless it was dropped before', () => {
    fc.assert(
      fc.property(stored, numbers, numbers, newest, (all, needed, dropped, count) => {
        const gone = numbersOf(retain(all, needed, dropped, count).dropped).filter((n) => !dropped.has(n));
        const standing = numbersOf(all).filter((n) => !dropped.has(n));
        const firstOnes = new Set(standing.sort((a, b) => b - a).slice(0, count));
        expect(gone.filter((n) => needed.has(n) || firstOnes.has(n))).toEqual([]);
      }),
    );
  });

  it('takes nothing back that was dropped, whoever needs it', () => {
    fc.assert(
      fc.property(stored, numbers, numbers, newest, (all, needed, dropped, count) => {
        const { kept } = retain(all, needed, dropped, count);
        expect(numbersOf(kept).filter((n) => dropped.has(n))).toEqual([]);
      }),
    );
  });

  it('leaves in a few rounds only what it should, however much there was', () => {
    fc.assert(
      fc.property(stored, numbers, newest, (all, needed, count) => {
        let left: StoredArtifact[] = all;
        // The oldest hundred go first, and three hundred are the most that there are here.
        for (let round = 0; round < 3; round++) left = retain(left, needed, new Set(), count).kept;
        const firstOnes = new Set(
          numbersOf(all)
            .sort((a, b) => b - a)
            .slice(0, count),
        );
        expect(new Set(numbersOf(left))).toEqual(
          new Set(numbersOf(all).filter((n) => needed.has(n) || firstOnes.has(n))),
        );
      }),
    );
  });

  it('drops at most a hundred more at once, the oldest', () => {
    const all = Array.from({ length: 250 }, (_, index) => ({ number: index + 1, sizeBytes: 1 }));
    const { dropped } = retain(all, new Set(), new Set(), 5);
    expect(numbersOf(dropped)).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
  });
});
