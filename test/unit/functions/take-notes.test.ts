import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as getSpec } from '../../../functions/api/listener-protocol/spec.ts';
import { handler as getListener } from '../../../functions/api/listeners/get.ts';
import { handler } from '../../../functions/logs/take-notes.ts';
import { hashOf } from '../../../lib/app/identity/api-key.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { noteLevel, noteLogger } from '../../../lib/http/notes.ts';
import { apiEvent, lambdaContext } from '../../support/http/event.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import { ids, seedAll, seedInSlot, seedKey } from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();
const lines: string[] = [];

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  // Tests run without a log, and files share the logger.
  noteLogger().setLogLevel('INFO');
  const note = (line: string) => lines.push(line);
  // The logger has no other way to say where its lines go.
  Reflect.set(noteLogger(), 'console', { info: note, debug: note, warn: note, error: note });
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
  noteLogger().setLogLevel('SILENT');
  vi.unstubAllEnvs();
});

/** An event as CloudWatch Logs sends it. */
const event = (...messages: string[]) => {
  const logEvents = messages.map((message, id) => ({ id: String(id), timestamp: Date.now(), message }));
  const content = { messageType: 'DATA_MESSAGE', logGroup: 'endpoint', logStream: 'one', logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } };
};

/** What was put of one kind of item. */
const putsOf = (entity: string) =>
  table.written().flatMap(({ Put }) => (Put?.Item?.entity === entity ? [Put.Item] : []));

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

describe('what is handed out by a function that only reads', () => {
  const ofSpec = { listener_id: ids.listener, deployment_id: ids.deployment };

  it('is said in its log, with who was given it, and written down as an audit event', async () => {
    seedAll(table);
    const artifact = { kind: 'folder', key: 'artifacts/a.tar', sha256: 'a', sizeBytes: 1 } as const;
    seedInSlot(table, { status: 'DEPLOYING', artifact, task_id: ids.task });
    const key = seedKey(table, 'listener', { listener_id: ids.listener });
    const asked = apiEvent({ params: ofSpec, headers: { 'x-api-key': key }, requestId: 'request-7' });
    expect(await getSpec(asked, lambdaContext())).toMatchObject({ statusCode: 200 });
    expect(table.written()).toEqual([]);
    await handler(event(...lines));
    await handler(event(...lines));
    const made = putsOf('audit_event');
    expect(made).toHaveLength(2);
    expect(made[1]).toEqual(made[0]);
    expect(made[0]).toMatchObject({
      pk: `T#${ids.tenant}#AU`,
      action: 'revision_spec.read',
      user_id: ids.user,
      request_id: 'request-7',
      deployment_id: ids.deployment,
      subject_id: ids.revision,
      ttl: expect.any(Number),
    });
  });
});

describe('a refusal by a function that only reads', () => {
  it('is said in its log without the credential, and written down as an audit event that is counted', async () => {
    seedAll(table);
    // Files share the counts, too, and the others are refused with the usual key.
    const key = seedKey(table, 'listener', { id: randomUUID() });
    expect(await askWith(key)).toMatchObject({ statusCode: 403 });
    expect(table.written()).toEqual([]);
    expect(lines.join()).not.toContain(key.slice(8, -4));
    await handler(event(...lines));
    const [made] = putsOf('audit_event');
    expect(made).toMatchObject({
      pk: `T#${ids.tenant}#AU`,
      action: 'request.refuse',
      count: 1,
      details: { status: 403, reason: 'permission_missing', operation: 'getListener' },
    });
    const [callers] = putsOf('refusals');
    table.seed({ pk: String(callers?.pk), sk: String(callers?.sk) }, callers ?? {});
    await handler(event(...lines));
    expect(table.written().at(-1)?.Update).toMatchObject({
      Key: { pk: `T#${ids.tenant}#AU`, sk: made?.sk },
      UpdateExpression: expect.stringContaining('ADD #count'),
    });
  });
});

it('notes are written at every level but that of no log at all', () => {
  const levelAt = (level: string | undefined) => noteLevel({ POWERTOOLS_LOG_LEVEL: level });
  expect([undefined, 'DEBUG', 'ERROR', 'CRITICAL'].map(levelAt)).toEqual(['INFO', 'INFO', 'INFO', 'INFO']);
  expect(levelAt('silent')).toBe('SILENT');
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
      '{"message":"handed out"}',
      `{"message":"handed out","id":"${ids.unknown}","action":"no.such","tenant_id":"t","user_id":"u","key_id":"k"}`,
      '{"message":"refused","count":1}',
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
    const declared = functionRows.takeNotes.access.filter((word) => word.startsWith('table:'));
    expect([...done].sort()).toEqual([...declared].sort());
  });
});
