import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentClient, streamsClient } from '../../../lib/embedded/dynoxide/client.ts';
import type { StreamHandler } from '../../../lib/embedded/stream/deliver.ts';
import { openStream, type Stream, type StreamOptions } from '../../../lib/embedded/stream/open.ts';
import { wakeOnWrite } from '../../../lib/embedded/stream/wake-on-write.ts';
import type { Table } from '../../../lib/store/table.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { dynamoDbEndpoint, freshTable } from '../../support/table/dynoxide.ts';
import { filtersOf } from '../../support/table/stream-filters.ts';
import { until } from '../../support/until.ts';

type Bench = { table: Table; dataFolder: string; streamArn: string };

async function bench(): Promise<Bench> {
  const { name } = await freshTable();
  // A client of its own: tests add middleware to it.
  const client = documentClient(dynamoDbEndpoint());
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const dataFolder = join(await temporaryFolder(), 'data');
  await mkdir(dataFolder);
  return { table: { client, name }, dataFolder, streamArn: Table?.LatestStreamArn ?? '' };
}

async function start(
  { dataFolder, streamArn }: Bench,
  handler: StreamHandler,
  more: Partial<StreamOptions> = {},
): Promise<Stream & { errors: string[] }> {
  const errors: string[] = [];
  const stream = await openStream({
    client: streamsClient(dynamoDbEndpoint()),
    streamArn,
    dataFolder,
    consumers: [{ name: 'dispatch', filters: filtersOf(['deployment']), handler }],
    onError: (message) => errors.push(message),
    ...more,
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= stream.close();
    return closing;
  };
  onTestFinished(close);
  const bound = { wake: () => stream.wake(), position: () => stream.position(), lag: () => stream.lag() };
  return { ...bound, close, errors };
}

const put = ({ table }: Bench, sk: string, item: object = {}) =>
  table.client.send(
    new PutCommand({ TableName: table.name, Item: { pk: 'p', sk, entity: 'deployment', ...item } }),
  );

const nameOf = (record: DynamoDBRecord): string => record.dynamodb?.Keys?.sk?.S ?? '';

/** Collects the sort keys of what it is called with. */
function collector() {
  const seen: string[] = [];
  const handler: StreamHandler = async ({ Records }) => {
    seen.push(...Records.map(nameOf));
    return undefined;
  };
  const has = (...names: string[]) =>
    until(() => names.every((name) => seen.includes(name)), { what: names.join(', ') });
  return { seen, handler, has };
}

describe('records', () => {
  it('come as Lambda passes them', async () => {
    const at = await bench();
    const records: DynamoDBRecord[] = [];
    await start(at, async (event) => {
      records.push(...event.Records);
      return undefined;
    });
    const item = { n: 1, list: ['a', { b: true }], bytes: new Uint8Array([1, 2, 3]), none: null };
    await put(at, 'a', item);
    await put(at, 'a', { n: 2 });
    await at.table.client.send(new DeleteCommand({ TableName: at.table.name, Key: { pk: 'p', sk: 'a' } }));
    await until(() => records.length === 3, { what: 'three records' });
    expect(records.map((record) => record.eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    const [insert, modify, remove] = records;
    expect(insert).toMatchObject({ eventSource: 'aws:dynamodb', eventSourceARN: at.streamArn });
    expect(insert?.dynamodb?.Keys).toEqual({ pk: { S: 'p' }, sk: { S: 'a' } });
    expect(insert?.dynamodb?.NewImage).toEqual({
      pk: { S: 'p' },
      sk: { S: 'a' },
      entity: { S: 'deployment' },
      n: { N: '1' },
      list: { L: [{ S: 'a' }, { M: { b: { BOOL: true } } }] },
      bytes: { B: 'AQID' },
      none: { NULL: true },
    });
    expect(insert?.dynamodb).not.toHaveProperty('OldImage');
    expect(modify?.dynamodb?.OldImage?.n).toEqual({ N: '1' });
    expect(remove?.dynamodb).not.toHaveProperty('NewImage');
    expect(remove?.dynamodb?.OldImage?.n).toEqual({ N: '2' });
    const seconds = insert?.dynamodb?.ApproximateCreationDateTime ?? 0;
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
  });

  it('are filtered by kind, and a write that changes nothing gives none', async () => {
    const at = await bench();
    const { seen, handler, has } = collector();
    await start(at, handler);
    await put(at, 'other', { entity: 'revision' });
    await put(at, 'a');
    await put(at, 'a');
    await put(at, 'b');
    await has('a', 'b');
    expect(seen).toEqual(['a', 'b']);
  });

  it('of one transaction come as soon as the client wakes the reader', async () => {
    const at = await bench();
    const { handler, has } = collector();
    // Nobody else has it look.
    const stream = await start(at, handler, { idleMilliseconds: 3_600_000 });
    wakeOnWrite(at.table.client, stream.wake);
    // What arrived before its write was acknowledged has no lag, which on a busy machine is most of it.
    let [written, measured] = [0, 0];
    const writes = async (): Promise<boolean> => {
      const sk = `item-${written}`;
      const Item = { pk: 'p', sk, entity: 'deployment' };
      await at.table.client.send(
        new TransactWriteCommand({ TransactItems: [{ Put: { TableName: at.table.name, Item } }] }),
      );
      await has(sk);
      written += 1;
      measured += stream.lag().count;
      return written >= 5 && measured >= 3;
    };
    await until(writes, { what: 'the lag of three records' });
  });
});

describe('a restart', () => {
  it('goes on behind what was handled', async () => {
    const at = await bench();
    const first = collector();
    const stream = await start(at, first.handler);
    await put(at, 'a');
    await first.has('a');
    await until(() => stream.position() !== undefined, { what: 'the position' });
    await stream.close();
    await put(at, 'b');
    const second = collector();
    await start(at, second.handler);
    await second.has('b');
    expect(second.seen).toEqual(['b']);
  });

  it('brings again what was being handled, and loses nothing', async () => {
    const at = await bench();
    const called = Promise.withResolvers<void>();
    const stuck = Promise.withResolvers<void>();
    const stream = await start(at, async () => {
      called.resolve();
      await stuck.promise;
      throw new Error('the process ends in the middle');
    });
    await put(at, 'a');
    await called.promise;
    const closed = stream.close();
    stuck.resolve();
    await closed;
    const second = collector();
    await start(at, second.handler);
    await put(at, 'b');
    await second.has('a', 'b');
    expect(second.seen).toEqual(['a', 'b']);
  });

  it.each([
    [
      'of another stream',
      JSON.stringify({ stream_arn: 'another', shard_id: 'x', sequence_number: '9999999' }),
    ],
    ['cut off by a power failure', '{"stream_arn": "ar'],
  ])('reads from the oldest record when the kept position is %s', async (_, position) => {
    const at = await bench();
    await put(at, 'a');
    await writeFile(join(at.dataFolder, 'stream-position.json'), position);
    const { handler, has } = collector();
    await start(at, handler);
    await has('a');
  });
});

describe('a consumer that fails', () => {
  it('gets only what is left from the record that it reported', async () => {
    const at = await bench();
    for (const sk of ['a', 'b', 'c']) await put(at, sk);
    const calls: string[][] = [];
    let reported = false;
    await start(at, async ({ Records }) => {
      calls.push(Records.map(nameOf));
      const failed = Records.find((record) => nameOf(record) === 'b');
      if (failed === undefined || reported) return undefined;
      reported = true;
      return { batchItemFailures: [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? '' }] };
    });
    await until(() => calls.flat().filter((name) => name === 'c').length === 2, {
      what: 'the second try',
    });
    expect(calls).toEqual([['a', 'b', 'c'], ['b'], ['c']]);
  });

  it('five times loses the record to the list of failures, and goes on', async () => {
    const at = await bench();
    for (const sk of ['good-1', 'poison', 'good-2']) await put(at, sk);
    const { seen, handler, has } = collector();
    let poisoned = 0;
    const stream = await start(at, async (event, ...rest) => {
      if (event.Records.some((record) => nameOf(record) === 'poison')) {
        poisoned += 1;
        throw new TypeError('cannot digest');
      }
      return handler(event, ...rest);
    });
    await has('good-1', 'good-2');
    await put(at, 'later');
    await has('later');
    expect(poisoned).toBe(5);
    expect(seen).not.toContain('poison');
    expect(stream.errors.join()).toMatch(/dispatch gave up 1 stream records: TypeError: cannot digest/);
    const failures = await readFile(join(at.dataFolder, 'stream-failures.jsonl'), 'utf8');
    expect(JSON.parse(failures)).toMatchObject({ consumer: 'dispatch', keys: { sk: { S: 'poison' } } });
  });

  it('does not hold up another one', async () => {
    const at = await bench();
    const { handler, has } = collector();
    const stuck = Promise.withResolvers<undefined>();
    const filters = filtersOf(['deployment']);
    const stream = await start(at, handler, {
      consumers: [
        { name: 'slow', filters, handler: () => stuck.promise },
        { name: 'quick', filters, handler },
      ],
    });
    await put(at, 'a');
    await put(at, 'b');
    await has('a', 'b');
    expect(stream.position()?.sequence_number).toBeUndefined();
    stuck.resolve(undefined);
    await until(() => stream.position() !== undefined, { what: 'the position' });
  });
});
