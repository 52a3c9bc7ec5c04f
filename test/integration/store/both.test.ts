import { BatchGetCommand, type BatchGetCommandInput, type GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { findBoth } from '../../../lib/store/dynamodb/reads.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import type { Table } from '../../../lib/store/table.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const word = z.object({ word: z.string() });
const count = z.object({ count: z.number() });

/** Two items of a partition, which sort in the other order than they are asked for. */
const aWord = { pk: 'P', sk: 'b' };
const aCount = { pk: 'P', sk: 'a' };

async function aTable(): Promise<Table> {
  const table = await freshTable();
  await transact(table, [put('word', { ...aWord, word: 'yes' }), put('count', { ...aCount, count: 3 })]);
  return table;
}

/** The same table, too busy for all keys of a batch but the first so many. */
function busy(table: Table, done: number): Table {
  const send = async (command: BatchGetCommand | GetCommand): Promise<object> => {
    if (!(command instanceof BatchGetCommand)) return table.client.send(command);
    const { RequestItems: asked = {} }: BatchGetCommandInput = command.input;
    const { Keys = [] } = asked[table.name] ?? {};
    const UnprocessedKeys = { [table.name]: { Keys: Keys.slice(done) } };
    if (done === 0) return { Responses: {}, UnprocessedKeys };
    const RequestItems = { [table.name]: { Keys: Keys.slice(0, done) } };
    const { Responses } = await table.client.send(new BatchGetCommand({ RequestItems }));
    return { Responses, UnprocessedKeys };
  };
  const client = new Proxy(table.client, {
    get: (target, key) => (key === 'send' ? send : Reflect.get(target, key, target)),
  });
  return { ...table, client };
}

describe('two items in one request', () => {
  it('are given in the order in which they were asked for, each in its shape', async () => {
    const table = await aTable();
    expect(await findBoth(table, [aWord, word], [aCount, count])).toEqual([{ word: 'yes' }, { count: 3 }]);
    expect(await findBoth(table, [aCount, count], [aWord, word])).toEqual([{ count: 3 }, { word: 'yes' }]);
  });

  it('may be there or not', async () => {
    const table = await aTable();
    const nothing = { pk: 'P', sk: 'c' };
    expect(await findBoth(table, [nothing, word], [aCount, count])).toEqual([undefined, { count: 3 }]);
    expect(await findBoth(table, [aWord, word], [nothing, count])).toEqual([{ word: 'yes' }, undefined]);
    expect(await findBoth(table, [nothing, word], [{ pk: 'Q', sk: 'a' }, count])).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('are strongly consistent both, as their price shows', async () => {
    const table = await aTable();
    const read = () => findBoth(table, [aWord, word], [aCount, count]);
    expect(await unitsOf(table.client, read)).toEqual({ reads: 2, writes: 0 });
  });

  it('must have their shapes', async () => {
    await expect(findBoth(await aTable(), [aWord, count], [aCount, count])).rejects.toBeInstanceOf(
      z.ZodError,
    );
  });

  it.each([0, 1])('are all read, though the table does only %i of them at once', async (done) => {
    const table = busy(await aTable(), done);
    expect(await findBoth(table, [aWord, word], [aCount, count])).toEqual([{ word: 'yes' }, { count: 3 }]);
  });
});
