import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/domain/decide.ts';
import type { Situation } from '../../../lib/domain/situation.ts';
import { deleting, lawsOf, situation } from './situations.ts';

const managed = fc
  .tuple(fc.oneof(situation, deleting), fc.boolean())
  .map(([s, asked]): Situation => ({ ...s, managed: { asked } }));
const check = lawsOf(managed, 3_000);

/** What the rule says of the same deployment on a listener of somebody's own. */
const elsewhere = (s: Situation) => decide({ ...s, managed: undefined });
const isLeftAlone = (s: Situation) => elsewhere(s).do === 'nothing';
const hasNews = ({ task }: Situation) => task?.state === 'offered' || task?.state === 'cancelled';

describe('a deployment that the installation runs itself', () => {
  it('is brought forward as any other', () => {
    check(
      (s) => !isLeftAlone(s),
      (s) => expect(decide(s)).toEqual(elsewhere(s)),
    );
  });

  it('has its driver woken when it brings a task to take up or to stop', () => {
    check(
      (s) => isLeftAlone(s) && hasNews(s),
      (s) => expect(decide(s)).toEqual({ do: 'drive' }),
    );
  });

  it('has its driver woken by sweep, whatever there is', () => {
    check(
      (s) => isLeftAlone(s) && s.managed?.asked === true,
      (s) => expect(decide(s)).toEqual({ do: 'drive' }),
    );
  });

  it('is left to the driver that has its task, and to itself where it has none', () => {
    check(
      (s) => isLeftAlone(s) && !hasNews(s) && s.managed?.asked === false,
      (s) => expect(decide(s)).toEqual({ do: 'nothing' }),
    );
  });
});

describe('no other deployment', () => {
  it('ever has a driver woken', () => {
    lawsOf(fc.oneof(situation, deleting), 3_000)(
      () => true,
      (s) => expect(decide(s).do).not.toBe('drive'),
    );
  });
});
