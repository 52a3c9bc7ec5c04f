import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import type { Key } from '../keys/index.ts';
import type { Table } from '../table.ts';
import { readItem } from './read-item.ts';
import type { SortKeyRange } from './sort-key-range.ts';
import type { Item } from './transact.ts';

/**
 * Reads one item, strongly consistent unless `eventually`. Throws when what is stored does not have the
 * expected shape.
 */
export async function find<T extends z.ZodType>(
  table: Table,
  key: Key,
  schema: T,
  { eventually = false } = {},
): Promise<z.output<T> | undefined> {
  if (!isPossible(key)) return undefined;
  const item = await (table.readOne ?? requestOne(table, !eventually))(key);
  return item === undefined ? undefined : readItem(schema, item);
}

const requestOne =
  ({ client, name }: Table, ConsistentRead: boolean): NonNullable<Table['readOne']> =>
  async (Key) =>
    (await client.send(new GetCommand({ TableName: name, Key, ConsistentRead }))).Item;

/** What is looked for, and the shape that it must have. */
type Wanted<T extends z.ZodType> = readonly [key: Key, schema: T];

/**
 * Reads two items in one request, each strongly consistent by itself, at the price of two. Throws as `find`
 * does.
 */
export async function findBoth<A extends z.ZodType, B extends z.ZodType>(
  table: Table,
  first: Wanted<A>,
  second: Wanted<B>,
): Promise<[z.output<A> | undefined, z.output<B> | undefined]> {
  const Keys = [first[0], second[0]];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  const unread = UnprocessedKeys?.[table.name]?.Keys ?? [];
  const isAt = (key: Key) => (item: Item) => item.pk === key.pk && item.sk === key.sk;
  const pick = async <T extends z.ZodType>([key, schema]: Wanted<T>): Promise<z.output<T> | undefined> => {
    // What the table was too busy for is asked alone, and so with the client's patience.
    if (unread.some(isAt(key))) return find(table, key, schema);
    const item = Responses?.[table.name]?.find(isAt(key));
    return item === undefined ? undefined : readItem(schema, item);
  };
  return Promise.all([pick(first), pick(second)]);
}

export type QueryOptions = {
  pk: string;
  /** Sort keys between two, both included; `startingWith` makes the pair of a prefix. */
  between?: SortKeyRange;
  newestFirst?: boolean;
  limit?: number;
  startAfter?: Key;
  /** Eventually consistent, at half the price: only for what comes late anyway. */
  eventually?: true;
};

/** One page of a query, strongly consistent unless `eventually`. */
export async function queryPage<T extends z.ZodType>(
  table: Table,
  schema: T,
  options: QueryOptions,
): Promise<{ items: z.output<T>[]; lastKey: Key | undefined }> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({ TableName: table.name, ...queryInput(options) }),
  );
  const last = LastEvaluatedKey;
  return {
    items: Items.map((item) => readItem(schema, item)),
    lastKey: last === undefined ? undefined : { pk: String(last.pk), sk: String(last.sk) },
  };
}

/** All pages of a query, item by item; a consumer that stops early reads no further page. */
export async function* queryAll<T extends z.ZodType>(
  table: Table,
  schema: T,
  options: QueryOptions,
): AsyncGenerator<z.output<T>> {
  let startAfter = options.startAfter;
  do {
    const page = await queryPage(table, schema, { ...options, ...(startAfter && { startAfter }) });
    yield* page.items;
    startAfter = page.lastKey;
  } while (startAfter !== undefined);
}

function queryInput(options: QueryOptions): Omit<QueryCommandInput, 'TableName'> {
  const { between } = options;
  return {
    KeyConditionExpression: between === undefined ? 'pk = :pk' : 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': options.pk,
      ...(between !== undefined && { ':from': between[0], ':to': between[1] }),
    },
    ConsistentRead: options.eventually !== true,
    ScanIndexForward: options.newestFirst !== true,
    ...(options.limit !== undefined && { Limit: options.limit }),
    ...(options.startAfter !== undefined && { ExclusiveStartKey: options.startAfter }),
  };
}

const PARTITION_KEY_BYTES_MAX = 2048;
const SORT_KEY_BYTES_MAX = 1024;

/**
 * Whether an item can have this key. The table answers a question about any other one with an error, though
 * nothing can be there.
 */
const isPossible = ({ pk, sk }: Key): boolean =>
  Buffer.byteLength(pk) <= PARTITION_KEY_BYTES_MAX &&
  sk !== '' &&
  Buffer.byteLength(sk) <= SORT_KEY_BYTES_MAX;
