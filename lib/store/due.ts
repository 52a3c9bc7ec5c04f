import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { DUE_INDEX, type Table } from './table.ts';

/** The partition keys of the items of one partition of the `due` index that are due by `until` (epoch milliseconds), earliest first. */
export async function* duePartitionKeys(
  table: Table,
  partition: string,
  until: number,
): AsyncGenerator<string> {
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
    for (const item of page.Items ?? []) yield String(item.pk);
    startAfter = page.LastEvaluatedKey;
  } while (startAfter !== undefined);
}
