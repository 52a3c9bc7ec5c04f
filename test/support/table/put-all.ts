import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import type { Table } from '../../../lib/store/table.ts';

const ITEMS_A_BATCH = 25;

/** Puts many items, for tables that are too full to be filled by requests. */
export async function putAll({ client, name }: Table, items: Item[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / ITEMS_A_BATCH) }, (_, at) =>
    items.slice(at * ITEMS_A_BATCH, (at + 1) * ITEMS_A_BATCH),
  );
  const write = async () => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
    }
  };
  await Promise.all([write(), write(), write(), write()]);
}
