import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { storeOf, sweep } from '../../../lib/agent-runtime/queue/agent-queue.ts';
import { migrate } from '../../../lib/agent-runtime/schema/migrate.ts';
import { migrations } from '../../../lib/agent-runtime/schema/migrations.ts';
import { noteAssistants, searchAssistants } from '../../../lib/agent-runtime/tables/assistants.ts';
import { Database, type Query } from '../../../lib/agent-runtime/tables/database.ts';
import { readEvents } from '../../../lib/agent-runtime/tables/events.ts';
import { claimRuns } from '../../../lib/agent-runtime/tables/leases.ts';
import { findRun } from '../../../lib/agent-runtime/tables/runs.ts';
import {
  countThreads,
  createThread,
  getThread,
  searchThreads,
  updateThread,
} from '../../../lib/agent-runtime/tables/threads.ts';
import { leaseOf, newRun, newServer, useTables } from './world.ts';

const tables = useTables();

const EXACT = '{"big": 9007199254740993, "one": 1.0, "text": "\\u0000 \\\\u0000 \\ud83d \\ud83d\\ude00"}';
const page = { limit: 10, offset: 0 };

const found = async (metadata: string): Promise<string[]> =>
  (await searchThreads(tables.database, { metadata }, page)).map(({ thread_id: id }) => id);

describe('a document of a user', () => {
  it('comes back as it was written, and is found by what it says', async () => {
    const { thread } = await createThread(tables.database, { metadata: EXACT });
    expect((await getThread(tables.database, thread.thread_id)).metadata).toBe(EXACT);
    expect(await found('{"big":9007199254740993}')).toEqual([thread.thread_id]);
    expect(await found('{"big":9007199254740992}')).toEqual([]);
    expect(await found('{"text":"\\u0000 \\\\u0000 \\ud83d \\ud83d\\ude00"}')).toEqual([thread.thread_id]);
    await updateThread(tables.database, thread.thread_id, '{"one":2.50,"more":[1e400]}');
    expect((await getThread(tables.database, thread.thread_id)).metadata).toBe(
      '{"big":9007199254740993,"one":2.50,"text":"\\u0000 \\\\u0000 \\ud83d \\ud83d\\ude00","more":[1e400]}',
    );
  });

  it('is kept though Postgres has no number for it', async () => {
    const metadata = `{"n":1e999999,"mark":"${randomUUID()}"}`;
    const { thread } = await createThread(tables.database, { metadata });
    expect((await getThread(tables.database, thread.thread_id)).metadata).toBe(metadata);
    expect(await countThreads(tables.database, { ids: [thread.thread_id] })).toBe(1);
  });
});

describe('threads', () => {
  it('are found by status, ids and values, page by page', async () => {
    const mark = randomUUID();
    const metadata = JSON.stringify({ mark });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++)
      ids.push((await createThread(tables.database, { metadata })).thread.thread_id);
    expect(await found(metadata)).toEqual(ids.toReversed());
    const oldest = { limit: 2, offset: 1, sortBy: 'created_at', descending: false } as const;
    const rows = await searchThreads(tables.database, { metadata, status: 'idle' }, oldest);
    expect(rows.map(({ thread_id: id }) => id)).toEqual(ids.slice(1));
    expect(await countThreads(tables.database, { metadata, status: 'busy' })).toBe(0);
    expect(await countThreads(tables.database, { metadata, values: '{"n":1}' })).toBe(0);
    expect(await createThread(tables.database, { threadId: ids[0] ?? '' })).toMatchObject({ existed: true });
  });

  it('of runs without one are nobody else’s, and end with their events', async () => {
    const server = newServer();
    const run = await newRun(tables.database, server, { temporary: true });
    const { thread_id: threadId, run_id: runId } = run;
    expect(await countThreads(tables.database, { ids: [threadId] })).toBe(0);
    const [claimed] = await storeOf(tables.database).claim(server, 1);
    if (claimed === undefined) throw new Error('nothing was due');
    await storeOf(tables.database).append(leaseOf(claimed), [{ seq: 1, event: 'values', data: '{}' }]);
    await storeOf(tables.database).finish(leaseOf(claimed), { status: 'success', output: '1' });
    // As workers make them.
    await tables.database.query('create schema lg');
    await tables.database.query('create table lg.checkpoints (thread_id text)');
    const checkpoints = (of: string) =>
      tables.database.query('select 1 from lg.checkpoints where thread_id = $1', [of]);
    await tables.database.query(`insert into lg.checkpoints values ($1), ('another')`, [threadId]);
    await sweep(tables.database);
    expect(await checkpoints(threadId)).toHaveLength(1);
    expect(await readEvents(tables.database.query, runId, 0)).toHaveLength(1);
    await tables.database.query(
      `update rt.runs set events_until = clock_timestamp() - interval '1 s' where run_id = $1`,
      [runId],
    );
    await sweep(tables.database);
    expect(await checkpoints(threadId)).toEqual([]);
    expect(await checkpoints('another')).toHaveLength(1);
    expect(await findRun(tables.database, runId)).toBeUndefined();
    expect(await readEvents(tables.database.query, runId, 0)).toEqual([]);
  });
});

describe('assistants', () => {
  it('of the graphs are there once, however many servers start', async () => {
    const [id, graphId] = [randomUUID(), `graph-${randomUUID()}_%`];
    const known = new Map([[id, { graphId }]]);
    await Promise.all([noteAssistants(tables.database, known), noteAssistants(tables.database, known)]);
    const named = { name: graphId.slice(-4).toUpperCase(), graphId };
    expect(await searchAssistants(tables.database, named, page)).toMatchObject([
      { assistant_id: id, version: 1 },
    ]);
    expect(await searchAssistants(tables.database, { name: '%', graphId: 'none' }, page)).toEqual([]);
  });
});

describe('the tables', () => {
  it('are made once by servers that start at once, and stay when a newer server has added to them', async () => {
    const database = new Database(await tables.postgres.freshDatabase());
    await Promise.all([migrate(database), migrate(database), migrate(database)]);
    await database.query(`insert into rt.migrations (version, name) values (1000, 'of a later server')`);
    await migrate(database);
    const rows = await database.query('select name from rt.migrations order by version');
    expect(rows.map(({ name }) => name)).toEqual([
      ...migrations.map(({ name }) => name),
      'of a later server',
    ]);
    await database.close();
  });

  it('are asked once for a claim, whatever waits', async () => {
    const server = newServer();
    for (let n = 0; n < 5; n++) await newRun(tables.database, server);
    let statements = 0;
    const counting: Query = (sql, values) => {
      statements += 1;
      return tables.database.query(sql, values);
    };
    expect(await claimRuns(counting, server, 10)).toHaveLength(5);
    expect(statements).toBe(1);
  });
});
