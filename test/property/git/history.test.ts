import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitsBetween, type Graph, type Node } from '../../../lib/adapters/history.ts';

/** A history in which each commit is made on some of those before it; clocks may be wrong. */
const histories = fc
  .array(fc.record({ parents: fc.array(fc.nat(), { maxLength: 3 }), time: fc.nat({ max: 50 }) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((made) => {
    const nodes = made.map(
      ({ parents, time }, at): Node => ({
        ...{ sha: `c${at}`, message: '', author: '', at: '', time },
        parents: at === 0 ? [] : [...new Set(parents.map((parent) => `c${parent % at}`))],
      }),
    );
    return new Map(nodes.map((node) => [node.sha, node]));
  });

function ancestors(graph: Graph, sha: string): Set<string> {
  const parents = graph.get(sha)?.parents ?? [];
  return new Set([sha, ...parents.flatMap((parent) => [...ancestors(graph, parent)])]);
}

const asked = histories.chain((graph) =>
  fc.tuple(fc.constant(graph), fc.constantFrom(...graph.keys()), fc.constantFrom(...graph.keys())),
);

describe('the commits between two of a history', () => {
  it('are those that the one contains and the other does not, each before its parents', () => {
    fc.assert(
      fc.property(asked, ([graph, head, since]) => {
        const { commits, more, relation } = commitsBetween(graph, { head, since, limit: 1_000 });
        const [of, without] = [ancestors(graph, head), ancestors(graph, since)];
        const expected = [...of].filter((sha) => !without.has(sha));
        const found = commits.map(({ sha }) => sha);
        expect(found.toSorted()).toEqual(expected.toSorted());
        expect(more).toBe(false);
        for (const [at, sha] of found.entries())
          for (const parent of graph.get(sha)?.parents ?? [])
            if (found.includes(parent)) expect(found.indexOf(parent)).toBeGreaterThan(at);
        const isBehind = of.has(since);
        const isAhead = without.has(head);
        expect(relation === 'same').toBe(head === since);
        if (head !== since) {
          expect(relation === 'behind').toBe(isBehind);
          expect(relation === 'ahead').toBe(isAhead);
        }
      }),
    );
  });

  it('are cut where more are not wanted, and where the history is not known', () => {
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 5 }), ([graph, head, since], limit) => {
        const whole = commitsBetween(graph, { head, since, limit: 1_000 });
        const cut = commitsBetween(graph, { head, since, limit });
        expect(cut.commits).toEqual(whole.commits.slice(0, limit));
        expect(cut.more).toBe(whole.commits.length > limit);
      }),
    );
    const node = { sha: 'a', message: '', author: '', at: '', time: 1, parents: ['unknown'] };
    const one = commitsBetween(new Map([['a', node]]), { head: 'a', since: 'b', limit: 9 });
    expect(one).toMatchObject({ more: true, relation: 'unknown' });
  });
});
