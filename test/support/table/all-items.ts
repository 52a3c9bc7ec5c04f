import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import type { Table } from '../../../lib/store/table.ts';

/** Everything that is stored. */
export async function allItems({ client, name }: Table): Promise<Item[]> {
  const items: Item[] = [];
  let startAfter: Item | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: name, ConsistentRead: true, ExclusiveStartKey: startAfter }),
    );
    items.push(...(page.Items ?? []));
    startAfter = page.LastEvaluatedKey;
  } while (startAfter !== undefined);
  return items;
}
