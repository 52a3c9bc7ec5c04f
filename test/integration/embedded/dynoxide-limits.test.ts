import { PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { DUE_INDEX } from '../../../lib/store/table.ts';
import { freshTable } from '../../support/table/dynoxide.ts';

const KIB = 1024;
const text = (sizeBytes: number) => 'x'.repeat(sizeBytes);
const range = (length: number) => Array.from({ length }, (_, index) => index);

describe('the embedded database refuses what DynamoDB refuses', () => {
  it.each<[string, { pk: string; sk: string; text?: string }, RegExp]>([
    ['an item over 400 KiB', { pk: 'a', sk: 'a', text: text(401 * KIB) }, /Item size/],
    ['an empty key', { pk: '', sk: 'a' }, /empty string/],
    ['a partition key over 2,048 bytes', { pk: text(2049), sk: 'a' }, /hashkey/],
    ['a sort key over 1,024 bytes', { pk: 'a', sk: text(1025) }, /range keys/],
  ])('%s', async (_, Item, message) => {
    const { client, name } = await freshTable();
    await expect(client.send(new PutCommand({ TableName: name, Item }))).rejects.toThrow(message);
  });

  it.each<[string, { pk: string; text?: string }[], RegExp]>([
    ['over 100 writes', range(101).map((index) => ({ pk: `a${index}` })), /validation error/],
    ['over 4 MB', range(15).map((index) => ({ pk: `a${index}`, text: text(350 * KIB) })), /4MB/],
    ['two writes of one item', [{ pk: 'a' }, { pk: 'a' }], /multiple operations on one item/],
  ])('a transaction of %s', async (_, items, message) => {
    const { client, name } = await freshTable();
    const TransactItems = items.map((item) => ({ Put: { TableName: name, Item: { sk: 'a', ...item } } }));
    await expect(client.send(new TransactWriteCommand({ TransactItems }))).rejects.toThrow(message);
  });

  it('a token that comes again with another transaction', async () => {
    const { client, name } = await freshTable();
    const transaction = (pk: string) =>
      new TransactWriteCommand({
        ClientRequestToken: 'token',
        TransactItems: [{ Put: { TableName: name, Item: { pk, sk: 'a' } } }],
      });
    await client.send(transaction('a'));
    await client.send(transaction('a'));
    await expect(client.send(transaction('b'))).rejects.toThrow('IdempotentParameterMismatch');
  });

  it.each<[string, object, RegExp]>([
    ['a consistent read of an index', { IndexName: DUE_INDEX, ConsistentRead: true }, /Consistent reads/],
    [
      'a reserved word in an expression',
      { KeyConditionExpression: 'pk = :pk', FilterExpression: 'status = :pk' },
      /reserved keyword/,
    ],
  ])('%s', async (_, more, message) => {
    const { client, name } = await freshTable();
    const query = { KeyConditionExpression: 'due_pk = :pk', ExpressionAttributeValues: { ':pk': 'a' } };
    const command = new QueryCommand({ TableName: name, ...query, ...more });
    await expect(client.send(command)).rejects.toThrow(message);
  });
});

it('a page of a query ends at 1 MB', async () => {
  const { client, name } = await freshTable();
  for (const index of range(4)) {
    const Item = { pk: 'a', sk: `a${index}`, text: text(300 * KIB) };
    await client.send(new PutCommand({ TableName: name, Item }));
  }
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'a' } };
  const page = await client.send(new QueryCommand({ TableName: name, ...query }));
  expect([page.Items?.length, page.LastEvaluatedKey !== undefined]).toEqual([3, true]);
});
