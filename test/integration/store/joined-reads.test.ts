import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { joinedReads } from '../../../lib/store/dynamodb/joined-reads.ts';
import { find } from '../../../lib/store/dynamodb/reads.ts';
import type { Table } from '../../../lib/store/table.ts';
import { watchConsumed } from '../../support/table/consumed.ts';
import { freshTable } from '../../support/table/dynoxide.ts';
import { putAll } from '../../support/table/put-all.ts';

const shape = z.object({ pk: z.string(), sk: z.string(), number: z.number() });
const keyOf = (number: number) => ({ pk: `T#t#D#${number % 7}`, sk: `R#${number}` });

/** A table with so many items whose reads are joined, and the names of the commands that it is sent. */
async function aTable(count: number): Promise<{ table: Table; sent: string[] }> {
  const { client, name } = await freshTable();
  await putAll(
    { client, name },
    Array.from({ length: count }, (_, number) => ({ ...keyOf(number), number })),
  );
  const sent: string[] = [];
  onTestFinished(watchConsumed(client, (_, command) => sent.push(command.name)));
  return { table: { client, name, readOne: joinedReads(client, name) }, sent };
}

describe('reads that are begun together', () => {
  it('are made in one request, each item once', async () => {
    const { table, sent } = await aTable(3);
    const wanted = [0, 1, 2, 1, 0, 99];
    const found = await Promise.all(wanted.map((number) => find(table, keyOf(number), shape)));
    expect(found.map((item) => item?.number)).toEqual([0, 1, 2, 1, 0, undefined]);
    expect(sent).toEqual(['BatchGetItemCommand']);
  });

  it('are made a hundred at a time', async () => {
    const { table, sent } = await aTable(250);
    const found = await Promise.all(
      Array.from({ length: 250 }, (_, number) => find(table, keyOf(number), shape)),
    );
    expect(found.map((item) => item?.number)).toEqual(Array.from({ length: 250 }, (_, number) => number));
    expect(sent).toHaveLength(3);
  });

  it('are what they were when there is one, and see what was written before it', async () => {
    const { table, sent } = await aTable(1);
    expect(await find(table, keyOf(0), shape)).toMatchObject({ number: 0 });
    await putAll(table, [{ ...keyOf(0), number: 5 }]);
    expect(await find(table, keyOf(0), shape)).toMatchObject({ number: 5 });
    expect(sent.filter((name) => name.startsWith('Get'))).toHaveLength(2);
  });

  it('fail together when the table cannot be asked, and can be made again', async () => {
    const { table } = await aTable(2);
    const away = joinedReads(table.client, 'no-such-table');
    const asked = () => Promise.allSettled([away(keyOf(0)), away(keyOf(1))]);
    expect((await asked()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await asked()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
