import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { create as createTakeNotes } from '../../../functions/logs/take-notes.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import type { RouteRow } from '../../../lib/contract/routes/route.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { issueApiKey } from '../../../lib/core/identity/issue-api-key.ts';
import { getSpec } from '../../../lib/features/listener-protocol/routes.ts';
import { getListener } from '../../../lib/features/listeners/routes.ts';
import { noteLevel, noteLogger } from '../../../lib/http/notes.ts';
import { handlerOf, request } from '../../support/http/security-loop.ts';
import { limited } from '../../support/table/limited-table.ts';
import { listening, offered } from '../../support/world/listening.ts';
import { allItems } from '../../support/world/world.ts';

const lines: string[] = [];
beforeAll(() => {
  // Tests run without a log, and files share the logger.
  noteLogger().setLogLevel('INFO');
  const note = (line: string) => lines.push(line);
  // The logger has no other way to say where its lines go.
  Reflect.set(noteLogger(), 'console', { info: note, debug: note, warn: note, error: note });
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => noteLogger().setLogLevel('SILENT'));

/** A world whose endpoints say in the log what another function writes down. */
async function noting() {
  const world = await listening();
  const { deps, caller } = world;
  const { tenantId, organizationId, userId } = caller;
  const wish = { tenantId, organizationId, userId, name: 'k' };
  const takeNotes = createTakeNotes(() => limited(deps, functionRows.takeNotes.access));
  const { auditLog: _, keyUses: __, ...onlyLogged }: Deps = deps;
  return {
    ...world,
    keyOf: (expiresAt?: string) =>
      issueApiKey(deps, { ...wish, role: 'viewer', ...(expiresAt && { expiresAt }) }),
    listenerKey: () => issueApiKey(deps, { ...wish, role: 'listener', listenerId: world.listenerId }),
    ask: async (row: RouteRow, key: string, params: Record<string, string> = {}) => {
      const handler = await handlerOf(row, onlyLogged as Deps); // an endpoint has its own where these are absent
      const asked = { headers: { 'x-api-key': key }, params: { listener_id: world.listenerId, ...params } };
      return (await request(row, handler, asked)).statusCode;
    },
    take: (messages: readonly string[] = lines) => takeNotes(event(messages)),
    items: (entity: string) =>
      allItems(deps.table).then((items) => items.filter((item) => item.entity === entity)),
  };
}

/** An event as CloudWatch Logs sends it. */
function event(messages: readonly string[]) {
  const logEvents = messages.map((message, id) => ({ id: String(id), timestamp: Date.now(), message }));
  const content = { messageType: 'DATA_MESSAGE', logGroup: 'endpoint', logStream: 'one', logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') } };
}

/** What is shown of a key but its beginning and its end is secret. */
const secretOf = (key: string): string => key.slice(8, -4);

describe('an endpoint that only reads', () => {
  it('says that a key was used, once an hour and without the key; it is written down', async () => {
    const { deps, keyOf, ask, take, items } = await noting();
    const key = await keyOf();
    const before = await allItems(deps.table);
    for (let n = 0; n < 3; n++) expect(await ask(getListener, key)).toBe(200);
    expect(await allItems(deps.table)).toEqual(before);
    expect(lines.filter((line) => line.includes('"key used"'))).toHaveLength(1);
    expect(lines.join()).not.toContain(secretOf(key));
    await take();
    const hour = deps.clock.now() - (deps.clock.now() % 3_600_000);
    const noted = (await items('api_key_row')).map((row) => row.last_used_at);
    expect(noted).toContainEqual(hour);
  });

  it('says nothing of a key that is good no more', async () => {
    const { keyOf, ask } = await noting();
    expect(await ask(getListener, await keyOf('2020-01-01T00:00:00.000Z'))).toBe(401);
    expect(lines.filter((line) => line.includes('"key used"'))).toEqual([]);
  });

  it('says what it hands out, and to whom; it is written down once, however often that is read', async () => {
    const world = await noting();
    const { id, revisionId } = await offered(world, 'a');
    expect(await world.ask(getSpec, await world.listenerKey(), { deployment_id: id })).toBe(200);
    const ofSpec = async () =>
      (await world.items('audit_event')).filter(({ action }) => action === 'revision_spec.read');
    expect(await ofSpec()).toEqual([]);
    await world.take();
    const [made, ...more] = await ofSpec();
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      deployment_id: id,
      subject_id: revisionId,
      request_id: expect.any(String),
      ttl: expect.any(Number),
    });
    await world.take();
    expect(await ofSpec()).toEqual([made]);
  });

  it('says whom it refuses, without the credential; it is written down, and counted', async () => {
    const { listenerKey, ask, take, items } = await noting();
    const key = await listenerKey();
    expect(await ask(getListener, key)).toBe(403);
    expect(lines.join()).not.toContain(secretOf(key));
    const refusals = async () =>
      (await items('audit_event')).filter(({ action }) => action === 'request.refuse');
    expect(await refusals()).toEqual([]);
    await take();
    expect(await refusals()).toMatchObject([
      { count: 1, details: { status: 403, reason: 'permission_missing', operation: 'getListener' } },
    ]);
    await take();
    expect(await refusals()).toMatchObject([{ count: 2 }]);
  });
});

describe('the function that takes notes', () => {
  it('passes over every other line', async () => {
    const { deps, take } = await noting();
    const before = await allItems(deps.table);
    const hash = 'a'.repeat(64);
    const id = deps.clock.randomId();
    await take([
      'START RequestId: 1',
      '{"message":"request","key_id":"x"}',
      '{"message":"key used"}',
      '{"message":"key used","key_hash":"short","hour":3600000}',
      `{"message":"key used","key_hash":"${hash}","hour":"now"}`,
      `{"message":"key used","key_hash":"${hash}","hour":-1}`,
      `{"message":"key used","key_hash":"${hash}","hour":3600000}`,
      '{"message":"handed out"}',
      `{"message":"handed out","id":"${id}","action":"no.such","tenant_id":"t","user_id":"u","key_id":"k"}`,
      '{"message":"refused","count":1}',
      '{',
      '',
    ]);
    const notes = createTakeNotes(() => deps);
    await notes({ awslogs: { data: 'no gzip' } });
    expect(await allItems(deps.table)).toEqual(before);
  });

  it('fails when the table does not take a note, so that it is called again', async () => {
    const { deps, keyOf, ask } = await noting();
    expect(await ask(getListener, await keyOf())).toBe(200);
    const client: typeof deps.table.client = Object.create(deps.table.client);
    client.send = () => Promise.reject(new Error('down'));
    const broken = createTakeNotes(() => ({ ...deps, table: { ...deps.table, client } }));
    await expect(broken(event(lines))).rejects.toThrow('down');
  });
});

it('notes are written at every level but that of no log at all', () => {
  const levelAt = (level: string | undefined) => noteLevel({ POWERTOOLS_LOG_LEVEL: level });
  expect([undefined, 'DEBUG', 'ERROR', 'CRITICAL'].map(levelAt)).toEqual(['INFO', 'INFO', 'INFO', 'INFO']);
  expect(levelAt('silent')).toBe('SILENT');
});
