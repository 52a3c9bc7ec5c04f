import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as getListener } from '../../../functions/api/listeners/get.ts';
import { handler } from '../../../functions/logs/note-key-use.ts';
import { hashOf } from '../../../lib/app/identity/api-key.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { logger } from '../../../lib/http/logger.ts';
import { apiEvent, lambdaContext } from '../../support/event.ts';
import { mockTable } from '../../support/mocked-table.ts';
import { ids, seedAll, seedKey } from '../../support/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();
const lines: string[] = [];

let level: ReturnType<ReturnType<typeof logger>['getLevelName']>;

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  // Files share the logger: whoever made it first has decided on its level.
  level = logger().getLevelName();
  logger().setLogLevel('INFO');
  const note = (line: string) => lines.push(line);
  // The logger has no other way to say where its lines go.
  Reflect.set(logger(), 'console', { info: note, debug: note, warn: note, error: note });
});
beforeEach(() => {
  table.reset();
  lines.length = 0;
});
/** What the function did to the table in all of its tests. */
let done = new Set<string>();
afterEach(() => {
  done = done.union(table.used());
});
afterAll(() => {
  logger().setLogLevel(level);
  vi.unstubAllEnvs();
});

/** An event as CloudWatch Logs sends it. */
const event = (...messages: string[]) => {
  const logEvents = messages.map((message, id) => ({ id: String(id), timestamp: Date.now(), message }));
  const content = { messageType: 'DATA_MESSAGE', logGroup: 'endpoint', logStream: 'one', logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } };
};

const askWith = (apiKey: string) =>
  getListener(
    apiEvent({ params: { listener_id: ids.listener }, headers: { 'x-api-key': apiKey } }),
    lambdaContext(),
  );

describe('the use of a key', () => {
  it('is said by an endpoint that only reads, once an hour and without the key, and written down', async () => {
    seedAll(table);
    const key = seedKey(table, 'viewer');
    for (let n = 0; n < 3; n++) expect(await askWith(key)).toMatchObject({ statusCode: 200 });
    expect(table.written()).toEqual([]);
    const said = lines.filter((line) => line.includes('"key used"'));
    expect(said).toHaveLength(1);
    expect(said.join()).toContain(hashOf(key));
    expect(said.join()).not.toContain(key.slice(4, -4));
    await handler(event(...lines));
    const [update] = table.written();
    const hour = Date.now() - (Date.now() % 3_600_000);
    expect(update?.Update?.Key).toEqual({ pk: `T#${ids.tenant}#KL`, sk: ids.user });
    expect(Object.values(update?.Update?.ExpressionAttributeValues ?? {})).toContain(hour);
  });

  it('is not said of a key that is refused', async () => {
    seedAll(table);
    expect(await askWith(seedKey(table, 'listener'))).toMatchObject({ statusCode: 403 });
    const spent = seedKey(table, 'viewer', { expires_at: '2020-01-01T00:00:00.000Z' });
    expect(await askWith(spent)).toMatchObject({ statusCode: 401 });
    expect(lines.filter((line) => line.includes(hashOf(spent)))).toEqual([]);
  });
});

describe('the function', () => {
  it('passes over every other line', async () => {
    const hash = 'a'.repeat(64);
    const others = [
      'START RequestId: 1',
      '{"message":"request","key_id":"x"}',
      '{"message":"key used"}',
      '{"message":"key used","key_hash":"short","hour":3600000}',
      `{"message":"key used","key_hash":"${hash}","hour":"now"}`,
      `{"message":"key used","key_hash":"${hash}","hour":-1}`,
      '{',
      '',
    ];
    await handler(event(...others));
    await handler({ awslogs: { data: 'no gzip' } });
    expect(table.used()).toEqual(new Set());
  });

  it('writes nothing of a key that it does not know, and fails when the table does', async () => {
    const said = (hash: string) => event(`{"message":"key used","key_hash":"${hash}","hour":3600000}`);
    await handler(said('a'.repeat(64)));
    expect(table.written()).toEqual([]);
    const key = seedKey(table, 'viewer');
    table.refuseOnce(() => true);
    await handler(said(hashOf(key)));
    expect(table.written()).toEqual([]);
    table.collideAlways();
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    const ended = handler(said(hashOf(key))).catch(String);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await ended).toMatch('The table does not answer');
    vi.useRealTimers();
  });

  it('has the access to the table that it uses, and no other', () => {
    const declared = functionRows.noteKeyUse.access.filter((word) => word.startsWith('table:'));
    expect([...done].sort()).toEqual([...declared].sort());
  });
});
