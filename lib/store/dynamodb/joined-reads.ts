import {
  BatchGetCommand,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Key } from '../keys/index.ts';
import type { Table } from '../table.ts';

type Item = Record<string, unknown>;
type Asked = { key: Key; answer: PromiseWithResolvers<Item | undefined> };

/** As many items are read by one request at most. */
const KEYS_MAX = 100;

/**
 * Reads single items, strongly consistent. Those that are asked for in the same turn of the event loop are
 * read in one request, and each once: what a request costs here is the SDK's work for it, a multiple of the
 * database's. Nobody may change what is read.
 */
export function joinedReads(
  client: DynamoDBDocumentClient,
  tableName: string,
): NonNullable<Table['readOne']> {
  let asked = new Map<string, Asked>();
  const read = async (some: readonly Asked[]): Promise<void> => {
    try {
      const items = await readAll(client, tableName, some);
      for (const { key, answer } of some) answer.resolve(items.get(nameOf(key)));
    } catch (error) {
      for (const { answer } of some) answer.reject(error);
    }
  };
  const readAsked = () => {
    const all = [...asked.values()];
    asked = new Map();
    for (let at = 0; at < all.length; at += KEYS_MAX) void read(all.slice(at, at + KEYS_MAX));
  };
  return (key) => {
    if (asked.size === 0) setImmediate(readAsked);
    const name = nameOf(key);
    const one = asked.get(name) ?? { key, answer: Promise.withResolvers() };
    asked.set(name, one);
    return one.answer.promise;
  };
}

const nameOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

/** By name. A batch may leave some of its keys to the next one. */
async function readAll(
  client: DynamoDBDocumentClient,
  tableName: string,
  asked: readonly Asked[],
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  const take = (item: Item) => found.set(nameOf({ pk: String(item.pk), sk: String(item.sk) }), item);
  const [first, ...others] = asked;
  if (first !== undefined && others.length === 0) {
    const one = { TableName: tableName, Key: first.key, ConsistentRead: true };
    const { Item } = await client.send(new GetCommand(one));
    if (Item !== undefined) take(Item);
    return found;
  }
  let keys: Item[] = asked.map(({ key }) => key);
  while (keys.length > 0) {
    const RequestItems = { [tableName]: { Keys: keys, ConsistentRead: true } };
    const batch: BatchGetCommandOutput = await client.send(new BatchGetCommand({ RequestItems }));
    for (const item of batch.Responses?.[tableName] ?? []) take(item);
    keys = batch.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return found;
}
