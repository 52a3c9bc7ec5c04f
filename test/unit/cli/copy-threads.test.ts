import { describe, expect, it } from 'vitest';
import { exactJson } from '../../../lib/cli/copy-threads/exact-json.ts';
import { copyThreadsOf } from '../../../lib/cli/copy-threads/options.ts';
import {
  atOnce,
  chainOf,
  type State,
  superstepsOf,
  withGotos,
} from '../../../lib/cli/copy-threads/supersteps.ts';
import { OptionsError } from '../../../lib/cli/options-error.ts';

/** A state, with the number of its checkpoint and of the one before it. */
const state = (
  id: number,
  source: string,
  values: object,
  tasks: Record<string, unknown> = {},
  parent: number | undefined = id - 1,
): State => ({
  values,
  next: Object.keys(tasks),
  tasks: Object.entries(tasks).map(([name, result]) => ({ name, result })),
  metadata: { source },
  checkpoint: { checkpoint_id: `c${id}` },
  parent_checkpoint: parent === 0 ? null : { checkpoint_id: `c${parent}` },
});

const hey = { role: 'user', content: 'hey' };
const heyAsKept = { type: 'human', content: 'hey', id: 'm1' };
const history = [
  state(4, 'loop', { messages: [heyAsKept], steps: ['a', 'b'] }),
  state(3, 'loop', { messages: [heyAsKept], steps: ['a'] }, { b: { steps: ['b'] } }),
  state(2, 'loop', { messages: [heyAsKept], steps: [] }, { a: { steps: ['a'] } }),
  state(1, 'input', {}, { __start__: { messages: [hey], steps: [] } }),
];

describe('the steps of a history', () => {
  it('are its input and what each node has written, with the ids that messages got', () => {
    const input = { messages: [heyAsKept], steps: [] };
    expect(superstepsOf(chainOf(history))).toEqual([
      { updates: [{ values: input, as_node: '__input__' }] },
      { updates: [{ values: input, as_node: '__start__' }] },
      { updates: [{ values: { steps: ['a'] }, as_node: 'a' }] },
      { updates: [{ values: { steps: ['b'] }, as_node: 'b' }] },
    ]);
  });

  it('leave out what was left for another way', () => {
    const fork = state(9, 'loop', { steps: ['x'] }, {}, 2);
    const [newest, ...rest] = history;
    expect(chainOf([newest ?? fork, fork, ...rest])).toEqual(history.toReversed());
  });

  it('end for a history that names itself as what was before', () => {
    expect(chainOf([state(1, 'loop', {}, {}, 1)])).toHaveLength(1);
  });

  it.each([
    ['a person has changed it', [state(2, 'update', {}), state(1, 'input', {}, { __start__: {} })]],
    ['only its end was kept', [state(7, 'loop', {})]],
  ])('are unknown where %s', (_, states) => {
    expect(superstepsOf(chainOf(states))).toBeUndefined();
  });
});

describe('steps whose nodes choose where to go on', () => {
  it('say where that was', () => {
    const chain = chainOf(history);
    const [, , a, b] = withGotos(chain, superstepsOf(chain) ?? []);
    expect(a?.updates).toEqual([{ command: { update: { steps: ['a'] }, goto: ['b'] }, as_node: 'a' }]);
    // Nothing came after it.
    expect(b?.updates).toEqual([{ values: { steps: ['b'] }, as_node: 'b' }]);
  });
});

describe('the newest state at once', () => {
  it('is written as one of the nodes before it, the last one first, and ended if nothing is next', () => {
    const ways = atOnce(chainOf(history), ['c']);
    expect(ways.map(([first]) => first?.updates[0]?.as_node)).toEqual(['b', 'a', '__start__', 'c']);
    expect(ways[0]?.[1]).toEqual({ updates: [{ values: null, as_node: '__end__' }] });
  });

  it('is not written as the node that waits', () => {
    const ways = atOnce(chainOf(history.slice(1)), []);
    expect(ways.map(([first]) => first?.updates[0]?.as_node)).toEqual(['a', '__start__', 'a']);
    const { values } = history[1] ?? {};
    expect(ways.at(-1)).toEqual([{ updates: [{ command: { update: values, goto: ['b'] }, as_node: 'a' }] }]);
    expect(ways.every((steps) => steps.length === 1)).toBe(true);
  });
});

describe('numbers', () => {
  it('stay as they were written', () => {
    const text = '{"big":9007199254740993,"whole":1.0,"plain":2,"list":[1e400,-0]}';
    expect(JSON.stringify(exactJson(text))).toBe(text);
    expect(exactJson('no JSON')).toBe('no JSON');
  });
});

describe('the options', () => {
  const environment = { SLIPWAY_FROM_API_KEY: 'k', SLIPWAY_TO_AUTHORIZATION: 'Bearer t' };

  it('are two servers, and what the environment has for each', () => {
    const given = { from: 'http://a/d/one/', to: 'https://b' };
    expect(copyThreadsOf(given, { environment })).toEqual({
      kind: 'copy-threads',
      json: false,
      from: { url: 'http://a/d/one', headers: { 'x-api-key': 'k' } },
      to: { url: 'https://b', headers: { authorization: 'Bearer t' } },
    });
  });

  it.each([
    [{ to: 'http://b' }, '--from is required'],
    [{ from: 'http://a', to: 'b' }, '--to must be an http(s) URL'],
    [{ from: 'http://a/', to: 'http://a' }, 'the same server'],
  ])('%j are refused: %s', (given, words) => {
    expect(() => copyThreadsOf(given, { environment: {} })).toThrow(OptionsError);
    expect(() => copyThreadsOf(given, { environment: {} })).toThrow(words);
  });
});
