import { expect, it } from 'vitest';
import { loneSurrogates } from '../../../lib/http/validate.ts';

const places = (value: unknown) => loneSurrogates(['body'], value).map(({ loc }) => loc.join('.'));

it('finds halves of pairs in values and keys, in order, and no whole pair', () => {
  const value = {
    a: '\ud800',
    b: ['ok', '\udc00x', '😀'],
    '😀': { 'k\ud83d': { c: '\ud83d' } },
    '': '\udfff',
  };
  expect(places(value)).toEqual(['body.a', 'body.b.1', 'body.😀.k\ufffd', 'body.😀.k\ufffd.c', 'body.']);
});

it('finds none in what holds none', () => {
  expect(places({ a: [null, 1, true, 'ü', { b: undefined }] })).toEqual([]);
  expect(places(undefined)).toEqual([]);
});

it('looks as deep as JSON goes, and tells a place that can be read', () => {
  const depth = 200_000;
  const deep: unknown = JSON.parse(`{"a":${'['.repeat(depth)}"\\ud800"${']'.repeat(depth)}}`);
  const [item, ...others] = loneSurrogates(['body'], deep);
  expect([item?.loc.slice(0, 3), others]).toEqual([['body', 'a', 0], []]);
  expect(item?.loc.length).toBeLessThan(100);
});

it('looks through wide lists, and stops at a hundred', () => {
  expect(places({ a: Array.from({ length: 300_000 }, () => '\ud800') })).toHaveLength(100);
});
