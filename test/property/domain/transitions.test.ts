import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revisionStatuses } from '../../../lib/contract/revision-status.ts';
import { numberOf, revisionId } from '../../../lib/domain/revision-id.ts';
import {
  failureStatusOf,
  isTerminal,
  pathBetween,
  stageOf,
  transitions,
} from '../../../lib/domain/transitions.ts';

const status = fc.constantFrom(...revisionStatuses);

describe('transitions', () => {
  it('gives only ways that the table has, step by step', () => {
    fc.assert(
      fc.property(status, status, (from, to) => {
        const way = pathBetween(from, to);
        if (way === undefined) return;
        expect(way.at(-1)).toBe(to);
        [from, ...way].reduce((here, next) => {
          expect(transitions[here]).toContain(next);
          return next;
        });
      }),
    );
  });

  it('passes no terminal status and leads nowhere from one', () => {
    fc.assert(
      fc.property(status, status, (from, to) => {
        const way = pathBetween(from, to) ?? [];
        expect(way.slice(0, -1).some(isTerminal)).toBe(false);
        if (isTerminal(from)) expect(way).toEqual([]);
      }),
    );
  });

  it.each(revisionStatuses.filter((from) => !isTerminal(from)))(
    'lets %s end, interrupted or failed in its stage',
    (from) => {
      const stage = stageOf(from);
      expect(stage).toBeDefined();
      if (stage === undefined) return;
      expect(pathBetween(from, failureStatusOf[stage])).toBeDefined();
      expect(pathBetween(from, 'INTERRUPTED')).toEqual(['INTERRUPTED']);
    },
  );

  it('knows the whole way of a built revision', () => {
    expect(pathBetween('AWAITING_BUILD', 'DEPLOYED')).toEqual([
      'BUILDING',
      'AWAITING_DEPLOY',
      'DEPLOYING',
      'DEPLOYED',
    ]);
  });
});

describe('a revision id', () => {
  it('carries its number', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }), (id, number) => {
        const made = revisionId(id, number);
        expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(numberOf(made)).toBe(number);
      }),
    );
  });
});
