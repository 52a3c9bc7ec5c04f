import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findLost,
  judgeRelease,
  type ReleaseFinding,
  releaseRuleOf,
  type Standing,
} from '../../../lib/domain/release-check.ts';

const name = fc.constantFrom('draft', 'approve', 'send', 'publish');
const path = fc.array(name, { minLength: 1, maxLength: 3 });
const standing: fc.Arbitrary<Standing> = fc.record({
  graphId: fc.constantFrom('agent', 'other'),
  state: fc.constantFrom('interrupted', 'busy'),
  path,
});
const drawn = fc.array(path, { maxLength: 8 }).map((paths) => new Set(paths.map((each) => each.join(':'))));

const countIn = (finding: ReleaseFinding): number =>
  finding.kind === 'lost' ? finding.lost.reduce((sum, { count }) => sum + count, 0) : 0;

describe('what a release would lose', () => {
  it('is nothing where the new graphs have every node that threads stand at', () => {
    fc.assert(
      fc.property(fc.array(standing), drawn, (all, more) => {
        const nodes = new Set([...more, ...all.map(({ path: at }) => at.join(':'))]);
        expect(findLost(all, () => nodes)).toEqual({ kind: 'nothing' });
      }),
    );
  });

  it('is every thread whose first node is not drawn, each once', () => {
    fc.assert(
      fc.property(fc.array(standing), drawn, (all, nodes) => {
        const first = new Set([...nodes].map((node) => node.split(':')[0]));
        const surely = all.filter(({ path: [begin] }) => !first.has(begin)).length;
        const count = countIn(findLost(all, () => nodes));
        expect(count).toBeGreaterThanOrEqual(surely);
        expect(count).toBeLessThanOrEqual(all.length);
      }),
    );
  });

  it('is every thread that stands at a node which a graph has lost, whatever else it has', () => {
    fc.assert(
      fc.property(fc.array(standing), drawn, name, (all, nodes, gone) => {
        const left = new Set([...nodes].filter((node) => !node.split(':').includes(gone)));
        const there = all.filter(({ path: [begin] }) => begin === gone);
        expect(countIn(findLost(there, () => left))).toBe(there.length);
      }),
    );
  });

  it('is all threads of a graph that is gone, and unknown where one is not shown', () => {
    fc.assert(
      fc.property(fc.array(standing, { minLength: 1 }), (all) => {
        expect(countIn(findLost(all, () => 'absent'))).toBe(all.length);
        expect(findLost(all, () => 'unknown').kind).toBe('unknown');
      }),
    );
  });

  it('is said as far as it is known, and that there may be more', () => {
    fc.assert(
      fc.property(fc.array(standing), (all) => {
        const ofAgent = all.filter(({ graphId }) => graphId === 'agent').length;
        const finding = findLost(all, (id) => (id === 'agent' ? 'absent' : 'unknown'), 'it is slow');
        expect(countIn(finding)).toBe(ofAgent);
        expect(judgeRelease('warn', finding).message).toMatch(/: it is slow\.$/);
        expect(judgeRelease('refuse', finding).goesOn).toBe(false);
      }),
    );
  });

  it.each([
    // A node that is drawn without what is inside it may call a graph all the same.
    [['draft', 'inner'], ['draft'], undefined],
    [['draft', 'inner'], ['draft:inner', 'draft:other'], undefined],
    [['draft', 'inner'], ['draft:other'], 'draft:inner'],
    [['draft'], ['draft:inner'], undefined],
    [['draft'], ['drafts', 'a:draft'], 'draft'],
  ])('of a thread at %j with nodes %j is %s', (at, nodes, node) => {
    const finding = findLost([{ graphId: 'agent', state: 'interrupted', path: at }], () => new Set(nodes));
    expect(finding.kind === 'lost' ? finding.lost[0]?.node : undefined).toBe(node);
  });
});

describe('the judgement', () => {
  const lost = {
    kind: 'lost',
    lost: [{ graphId: 'agent', state: 'interrupted', node: 'approve', count: 3 }],
  } as const;

  it('names how many threads wait where', () => {
    expect(judgeRelease('warn', lost)).toEqual({
      goesOn: true,
      message: '3 threads wait at `approve`, which this revision has not.',
    });
    const refused = judgeRelease('refuse', lost);
    expect(refused.goesOn).toBe(false);
    expect(refused.message).toMatch(
      /^3 threads wait at `approve`, which this revision has not\. Nothing was moved:/,
    );
  });

  it('takes what is not known for lost with refuse alone', () => {
    const unknown = { kind: 'unknown', why: 'it took longer than 30 s to ask' } as const;
    expect(judgeRelease('warn', unknown)).toMatchObject({
      goesOn: true,
      message: expect.stringMatching(/not known: it took/),
    });
    expect(judgeRelease('refuse', unknown)).toMatchObject({
      goesOn: false,
      message: expect.stringMatching(/on_release refuses that/),
    });
    expect(judgeRelease('move', unknown)).toEqual({ goesOn: true, message: undefined });
  });

  it('stays short and plain whatever nodes are called', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 2000 }), { minLength: 1, maxLength: 50 }),
        (nodes) => {
          const all = nodes.map((node) => ({ graphId: 'agent', state: 'busy' as const, path: [node] }));
          const { message = '' } = judgeRelease(
            'warn',
            findLost(all, () => new Set()),
          );
          expect(message.length).toBeLessThan(2000);
          expect(message).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });
});

it.each([
  [{}, 'dev', 'warn'],
  [{}, 'licensed', 'warn'],
  [{}, 'durable', 'pin'],
  [{}, 'command', 'move'],
  [{}, undefined, 'move'],
  [{ waiting: 'refuse' }, 'command', 'refuse'],
  [{ days: 3 }, 'dev', 'warn'],
  // It is left of the time when `durable` ran it: the others let threads go.
  [{ waiting: 'pin' }, 'durable', 'pin'],
  [{ waiting: 'pin' }, 'dev', 'warn'],
  [{ waiting: 'pin' }, 'command', 'move'],
  [{ waiting: 'pin' }, null, 'move'],
] as const)('%j with %s is %s', (rule, runtime, is) => {
  expect(releaseRuleOf(rule, runtime)).toBe(is);
});
