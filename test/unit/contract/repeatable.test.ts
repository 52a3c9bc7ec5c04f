import { expect, it } from 'vitest';
import { ValidationError } from '../../../lib/contract/errors.ts';

const told = (input: unknown, msg = 'no') =>
  new ValidationError([{ loc: ['body'], type: 'value_error', msg, input }]).items[0];

const addresses = [
  'https://me:hush-7f@git.example/a.git',
  'https://hush-7f@git.example/a.git',
  'https://me:hush-7f@/x@git.example:99999/',
  'https:\\\\me:hush-7f@git.example',
  'https:me:hush-7f@git.example',
  ' ssh://git:hush-7f@git.example/a.git',
  'https://me:hush-7f/with/slashes@git.example',
  'me:hush-7f@git.example/x',
  'me:hush-7f/x@git.example',
  '//me:hush-7f@git.example/x',
  ':hush-7f@git.example',
];

it.each(addresses)('user name and password of %j are not repeated', (address) => {
  expect(told(address)).not.toHaveProperty('input');
  expect(JSON.stringify(told({ url: [` see ${address}`] }, `what of ${address}?`))).not.toContain('hush-7f');
});

it.each([
  'https://git.example/a',
  'see me@git.example',
  { a: 'me@git.example' },
  { 'a:b': ['me@git.example'] },
  'git@git.example:a.git',
  'a:b',
  7,
  null,
  { a: [1] },
])('%j is repeated', (input) => {
  expect(told(input)).toHaveProperty('input', input);
});

it('an address with an @ further on is not repeated either: a password may hold slashes', () => {
  expect(told('https://git.example/@scope/a')).not.toHaveProperty('input');
});

it('a key that holds a password is not repeated either', () => {
  expect(told({ a: { 'me:hush-7f@git.example': 1 } })).not.toHaveProperty('input');
});

it('a message keeps its examples', () => {
  const msg = 'a repository URL begins with https:// or ssh://, or has the form git@host:path';
  expect(told('x', msg)).toHaveProperty('msg', msg);
});
