import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import type { Position } from './position.ts';

export type Read = { records: StreamRecord[]; position: Position };

/** These mean that the iterator is of no use any more; what was read last still says where to go on. */
const STALE_ITERATOR = new Set(['ExpiredIteratorException', 'TrimmedDataAccessException']);

/**
 * Reads a stream in order, one open shard after the other, from a kept position or from the oldest record.
 */
export class ShardReader {
  readonly #client: DynamoDBStreamsClient;
  #position: Position;
  #iterator: string | undefined;

  private constructor(client: DynamoDBStreamsClient, position: Position) {
    this.#client = client;
    this.#position = position;
  }

  static async open(
    client: DynamoDBStreamsClient,
    streamArn: string,
    kept: Position | undefined,
  ): Promise<ShardReader> {
    const shards = await shardsOf(client, streamArn);
    const known = kept?.stream_arn === streamArn && shards.some((shard) => shard.id === kept.shard_id);
    const first = shards.find((shard) => !shards.some((other) => other.id === shard.parentId));
    if (first === undefined) throw new Error('the stream of the table has no shard');
    return new ShardReader(client, known ? kept : { stream_arn: streamArn, shard_id: first.id });
  }

  /** The next records, none when there are no new ones now. */
  async read(): Promise<Read> {
    try {
      this.#iterator ??= await this.#openIterator();
      const { Records: records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator: this.#iterator }),
      );
      this.#iterator = NextShardIterator;
      const last = records.at(-1)?.dynamodb?.SequenceNumber;
      if (last !== undefined) this.#position = { ...this.#position, sequence_number: last };
      if (NextShardIterator === undefined) await this.#nextShard();
      return { records, position: this.#position };
    } catch (error) {
      this.#iterator = undefined;
      if (!(error instanceof Error && STALE_ITERATOR.has(error.name))) throw error;
      return { records: [], position: this.#position };
    }
  }

  async #openIterator(): Promise<string | undefined> {
    const { stream_arn: StreamArn, shard_id: ShardId, sequence_number: SequenceNumber } = this.#position;
    const from = async (start: { ShardIteratorType: 'TRIM_HORIZON' } | AfterSequenceNumber) =>
      (await this.#client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...start }))).ShardIterator;
    if (SequenceNumber === undefined) return from({ ShardIteratorType: 'TRIM_HORIZON' });
    try {
      return await from({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber });
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TrimmedDataAccessException')) throw error;
      return from({ ShardIteratorType: 'TRIM_HORIZON' });
    }
  }

  /** A closed shard is followed by the one that names it as its parent. */
  async #nextShard(): Promise<void> {
    const { stream_arn, shard_id } = this.#position;
    const next = (await shardsOf(this.#client, stream_arn)).find((shard) => shard.parentId === shard_id);
    if (next !== undefined) this.#position = { stream_arn, shard_id: next.id };
  }
}

type AfterSequenceNumber = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string };
type Shard = { id: string; parentId: string | undefined };

async function shardsOf(client: DynamoDBStreamsClient, streamArn: string): Promise<Shard[]> {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  return (StreamDescription?.Shards ?? []).flatMap(({ ShardId: id, ParentShardId: parentId }) =>
    id === undefined ? [] : [{ id, parentId }],
  );
}
