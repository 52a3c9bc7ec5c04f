import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { absent, equals, put, remove, update } from '../../../lib/store/dynamodb/expressions.ts';
import { ConditionsFailed, type Item, type Write } from '../../../lib/store/dynamodb/transact.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import type { Table } from '../../../lib/store/table.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const key = { pk: 'a', sk: 'A' };
const at = '2026-01-01T00:00:00.000Z';

async function withItem(item: Item | undefined): Promise<Table> {
  const table = await freshTable();
  if (item !== undefined)
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...item } }));
  return table;
}

const read = async ({ client, name }: Table): Promise<unknown> =>
  (await client.send(new GetCommand({ TableName: name, Key: key, ConsistentRead: true }))).Item;

/**
 * Loses the answer to the first request, a refusal too, after `meanwhile`: the client, which has been told
 * nothing, sends it again.
 */
function loseAnswer({ client }: Table, meanwhile: () => Promise<unknown> = async () => {}): () => number {
  let sent = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const isFirst = sent++ === 0;
      const answering = next(args);
      if (!isFirst) return answering;
      await answering.catch(() => undefined);
      await meanwhile();
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    },
    { step: 'deserialize', priority: 'high', name: 'lost' },
  );
  return () => sent;
}

const started = (status: string): Write =>
  update(
    'revision',
    key,
    { set: { status, count: undefined, at }, remove: ['due_at'], append: { history: [{ status, at }] } },
    equals('status', 'QUEUED'),
  );
const queued = { status: 'QUEUED', due_at: 5, history: [] };

const kinds: [string, Item | undefined, Write, Item | undefined][] = [
  [
    'a put',
    undefined,
    put('one', { ...key, name: 'x', more: undefined, list: [{ a: 1 }] }, absent('pk')),
    { name: 'x', list: [{ a: 1 }] },
  ],
  [
    'an update',
    { state: 'claimed', old: 1 },
    update('one', key, { set: { state: 'cancelled' }, remove: ['old'] }, equals('state', 'claimed')),
    { state: 'cancelled' },
  ],
  [
    'an update that appends',
    queued,
    started('BUILDING'),
    { status: 'BUILDING', at, history: [{ status: 'BUILDING', at }] },
  ],
  ['a removal', { token: 't' }, remove('one', key, equals('token', 't')), undefined],
  ['a sum', { count: 1 }, update('one', key, { add: { count: 1 } }), { count: 2 }],
];

describe('a single write', () => {
  it.each(kinds)('is made once when its answer is lost: %s', async (_, before, meant, after) => {
    const table = await withItem(before);
    const sent = loseAnswer(table);
    await write(table, meant);
    expect(sent()).toBe(2);
    expect(await read(table)).toEqual(after && { ...key, ...after });
  });

  it.each(kinds.slice(0, 4))('costs half of a transaction: %s', async (_, before, meant) => {
    const table = await withItem(before);
    expect(await unitsOf(table.client, () => write(table, meant))).toEqual({ reads: 0, writes: 1 });
  });

  it('says what was found instead, and that is no success when another has written it before', async () => {
    const table = await withItem({ ...queued, status: 'BUILDING', history: [{ status: 'BUILDING', at }] });
    const lost: unknown = await write(table, started('BUILDING')).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(ConditionsFailed);
    expect((lost as ConditionsFailed).failed.get('revision')).toMatchObject({ status: 'BUILDING' });
  });

  it('whose answer is lost was made, though the item has changed since', async () => {
    const table = await withItem(queued);
    const next = update('revision', key, { set: { status: 'DEPLOYING' } });
    loseAnswer(table, () => write({ ...table }, next));
    await write(table, started('BUILDING'));
    expect(await read(table)).toMatchObject({ status: 'DEPLOYING' });
  });

  it('whose answer is lost was not made when another was quicker', async () => {
    const table = await withItem({ ...queued, status: 'INTERRUPTED' });
    const sent = loseAnswer(table);
    await expect(write(table, started('BUILDING'))).rejects.toThrow(ConditionsFailed);
    expect(sent()).toBe(2);
  });

  it('is made again when it collides with a transaction', async () => {
    const table = await withItem(queued);
    let collisions = 3;
    table.client.middlewareStack.add(
      (next) => async (args) => {
        if (collisions-- > 0) throw new TransactionConflictException({ message: 'ongoing', $metadata: {} });
        return next(args);
      },
      { step: 'initialize', name: 'collisions' },
    );
    await write(table, started('BUILDING'));
    expect(collisions).toBe(-1);
  });
});
