import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { streamsClient } from '../../../lib/embedded/dynoxide/client.ts';
import type { Consumer } from '../../../lib/embedded/stream/consumer.ts';
import { openStream, type Stream } from '../../../lib/embedded/stream/open.ts';
import { wakeOnWrite } from '../../../lib/embedded/stream/wake-on-write.ts';
import type { Table } from '../../../lib/store/table.ts';
import { dynamoDbEndpoint } from './dynoxide.ts';

/** Calls the consumers with the stream of a table, as the embedded runtime does. Who opens it closes it. */
export async function followTable(
  table: Table,
  dataFolder: string,
  consumers: readonly Consumer[],
): Promise<Stream> {
  const described = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
  const stream = await openStream({
    client: streamsClient(dynamoDbEndpoint()),
    streamArn: described.Table?.LatestStreamArn ?? '',
    dataFolder,
    consumers,
    onError: (message) => process.stderr.write(`stream: ${message}\n`),
  });
  wakeOnWrite(table.client, () => stream.wake());
  return stream;
}
