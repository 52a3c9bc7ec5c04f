import { expect, it } from 'vitest';
import type { ToReader } from '../../../../lib/compute/process/output/messages.ts';
import { Turns } from '../../../../lib/compute/process/output/turns.ts';
import { until } from '../../../support/until.ts';

const bytes = (id: number, text: string): ToReader => ({
  kind: 'bytes',
  id,
  stream: 'stdout',
  bytes: Buffer.from(text),
});
const end = (id: number): ToReader => ({ kind: 'end', id });
const MANY = 200_000;

/** What is read, in its order. */
function reading(closeMilliseconds?: number) {
  const read: ToReader[] = [];
  const turns = new Turns((message) => read.push(message), closeMilliseconds);
  return {
    read,
    hear: (...messages: ToReader[]) => {
      for (const message of messages) turns.hear(message);
    },
    textOf: (id: number) =>
      read
        .map((one) => (one.kind === 'bytes' && one.id === id ? Buffer.from(one.bytes).toString() : ''))
        .join(''),
    has: (kind: ToReader['kind'], id?: number) =>
      read.some((one) => one.kind === kind && (!('id' in one) || one.id === id)),
  };
}

it.each([
  ['empty lines', '\n'.repeat(MANY)],
  ['lines that are written over', 'x\r'.repeat(MANY)],
  ['one long line', 'x'.repeat(MANY)],
])('the end of a program does not wait for all of another one that prints %s', async (_, text) => {
  const { hear, has, textOf, read } = reading();
  hear(bytes(1, text), bytes(2, 'its last line\n'), end(2), end(1));
  await until(() => has('end', 1), { what: 'the end of the first' });
  expect([textOf(1) === text, textOf(2)]).toEqual([true, 'its last line\n']);
  expect(read.slice(0, 3).map(({ kind, ...one }) => [kind, 'id' in one && one.id])).toEqual([
    ['bytes', 1],
    ['bytes', 2],
    ['end', 2],
  ]);
});

it('many small writes of a program share a turn', async () => {
  const { hear, has, read } = reading();
  hear(bytes(1, '\n'.repeat(MANY)), ...Array.from({ length: 100 }, () => bytes(2, 'x')), end(2));
  await until(() => has('end', 2), { what: 'the end of the second' });
  expect(read.findIndex(({ kind }) => kind === 'end')).toBe(101);
});

it('what is taken is told at once, and the close once all is read', async () => {
  const { hear, has, read, textOf } = reading(Number.POSITIVE_INFINITY);
  hear(bytes(1, '\n'.repeat(MANY)), { kind: 'taken' }, { kind: 'close' });
  expect(read).toEqual([{ kind: 'taken' }]);
  await until(() => has('close'), { what: 'the close' });
  expect(textOf(1)).toHaveLength(MANY);
  expect(read.at(-1)).toEqual({ kind: 'close' });
});

it('the close does not wait for what there is no time to read', async () => {
  const { hear, has, read } = reading(0);
  hear(bytes(1, '\n'.repeat(MANY)), { kind: 'close' });
  await until(() => has('close'), { what: 'the close' });
  expect(read).toEqual([{ kind: 'close' }]);
});
