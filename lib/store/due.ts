import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { DUE_INDEX, type Table } from './table.ts';

export type Due = {
  /** The key of the item in the table. */
  pk: string;
  sk: string;
  /** Epoch milliseconds. */
  dueAt: number;
};

/**
 * The items of one partition of the `due` index that are due by `until` (epoch milliseconds), earliest first.
 */
export async function* dueItems(table: Table, partition: string, until: number): AsyncGenerator<Due> {
  let startAfter: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'due_pk = :partition AND due_at <= :until',
        ExpressionAttributeValues: { ':partition': partition, ':until': until },
        ...(startAfter !== undefined && { ExclusiveStartKey: startAfter }),
      }),
    );
    for (const item of page.Items ?? [])
      yield { pk: String(item.pk), sk: String(item.sk), dueAt: Number(item.due_at) };
    startAfter = page.LastEvaluatedKey;
  } while (startAfter !== undefined);
}
