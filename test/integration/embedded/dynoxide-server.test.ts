import { join } from 'node:path';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findDynamoDb } from '../../../lib/embedded/dynoxide/binary.ts';
import { documentClient, streamsClient } from '../../../lib/embedded/dynoxide/client.ts';
import { startDynoxide } from '../../../lib/embedded/dynoxide/server.ts';
import { ensureTable, indexStream, openBeside, trimStream } from '../../../lib/embedded/dynoxide/table.ts';
import type { StreamHandler } from '../../../lib/embedded/stream/deliver.ts';
import { openStream } from '../../../lib/embedded/stream/open.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { filtersOf } from '../../support/table/stream-filters.ts';
import { until } from '../../support/until.ts';

const TABLE = 'slipway';

async function database(options: { binary?: string } = {}) {
  const folder = await temporaryFolder();
  const file = join(folder, 'table.db');
  const source = findDynamoDb({});
  if (source.kind !== 'binary') throw new Error('this test needs the binary');
  const processes = new ProcessSupervisor();
  onTestFinished(() => processes.close());
  const crashes: string[] = [];
  const binary = options.binary ?? source.path;
  const onCrash = (message: string) => crashes.push(message);
  const server = await startDynoxide({ processes, binary, file, onCrash });
  // Before its supervisor closes: a database that dies without having been stopped is started again.
  onTestFinished(() => server.stop());
  const client = documentClient(server.endpoint);
  const { streamArn } = await ensureTable(client, TABLE);
  const put = (sk: string) =>
    client.send(new PutCommand({ TableName: TABLE, Item: { pk: 'p', sk, entity: 'deployment' } }));
  const get = async (sk: string) =>
    (await client.send(new GetCommand({ TableName: TABLE, Key: { pk: 'p', sk } }))).Item;
  return { folder, file, server, client, streamArn, put, get, crashes, processes };
}

describe('a database process that is killed', () => {
  it('comes back at the same address with everything that was acknowledged', async () => {
    const { server, put, get, crashes } = await database();
    for (let round = 0; round < 3; round += 1) {
      await put(`before-${round}`);
      const pid = server.pid();
      if (pid === undefined) throw new Error('no pid');
      process.kill(pid, 'SIGKILL');
      // The next call meets the restart and is retried by the SDK.
      await put(`after-${round}`);
      expect(await get(`before-${round}`)).toBeDefined();
      expect(server.pid()).not.toBe(pid);
    }
    expect(crashes).toHaveLength(3);
    expect(crashes[0]).toContain('was ended by SIGKILL; starting it again');
  });

  it('stays away after a stop', async () => {
    const { server, crashes } = await database();
    await server.stop();
    await expect(fetch(server.endpoint)).rejects.toThrow();
    expect(crashes).toEqual([]);
  });
});

it('says why the database cannot be started', async () => {
  const processes = new ProcessSupervisor();
  onTestFinished(() => processes.close());
  const file = join(await temporaryFolder(), 'not-there', 'table.db');
  const source = findDynamoDb({});
  const binary = source.kind === 'binary' ? source.path : '';
  await expect(startDynoxide({ processes, binary, file })).rejects.toThrow(/dynoxide.*could not be started/);
});

it('listens on an address of its own, not where pages look', async () => {
  const [one, other] = await Promise.all([database(), database()]);
  const { hostname, port } = new URL(one.server.endpoint);
  expect(hostname).toMatch(/^127\.(?!0\.)\d+\.\d+\.\d+$/);
  expect(new URL(other.server.endpoint).hostname).not.toBe(hostname);
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
});

it('has its stream indexed', async () => {
  const { file } = await database();
  indexStream(file);
  indexStream(file);
  const beside = openBeside(file);
  const plan = beside
    .prepare(
      "EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = 'x'",
    )
    .all();
  beside.close();
  expect(JSON.stringify(plan)).toContain('slipway_stream_seq');
});

describe('trimming the stream', () => {
  it('keeps the last handled record, and a reader goes on after it', async () => {
    const { file, folder, server, streamArn, put } = await database();
    const seen: string[] = [];
    const handler: StreamHandler = async ({ Records }) => {
      seen.push(...Records.map((record) => record.dynamodb?.Keys?.sk?.S ?? ''));
      return undefined;
    };
    const consumers = [{ name: 'dispatch', filters: filtersOf(['deployment']), handler }];
    const open = () =>
      openStream({
        client: streamsClient(server.endpoint),
        streamArn,
        dataFolder: folder,
        consumers,
        onError: () => {},
      });
    const stream = await open();
    for (let index = 0; index < 20; index += 1) await put(`early-${index}`);
    stream.wake();
    const position = await until(() => seen.length === 20 && stream.position()?.sequence_number, {
      what: 'twenty records',
    });
    expect(trimStream(file, TABLE, position)).toBe(19);
    expect(trimStream(file, TABLE, position)).toBe(0);
    await put('late-1');
    stream.wake();
    await until(() => seen.includes('late-1'), { what: 'the next record' });
    await stream.close();
    await put('late-2');
    const again = await open();
    await until(() => seen.includes('late-2'), { what: 'the record after a restart' });
    await again.close();
    expect(seen).toHaveLength(22);
  });
});
