import { gzipSync } from 'node:zlib';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '../../../functions/logs/ingest.ts';
import { unpackLines } from '../../../lib/adapters/aws/log-chunks.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { mockTable } from '../../support/table/mocked-table.ts';
import { ids, seedAll, seedRevision } from '../../support/table/stored-items.ts';
import { functionEnvironment } from './environment.ts';

const table = mockTable();
const kms = mockClient(KMSClient);
const stream = `${ids.tenant}/${ids.deployment}/${ids.revision}`;

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
});
beforeEach(() => {
  table.reset();
  kms.reset();
  seedAll(table);
});
/** What the function did to the table in all of its tests. */
let done = new Set<string>();
afterEach(() => {
  done = done.union(table.used());
});
afterAll(() => vi.unstubAllEnvs());

/** An event as CloudWatch Logs sends it. */
const event = (content: unknown) => ({
  awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') },
});
const data = (logStream: string, ...messages: string[]) =>
  event({
    messageType: 'DATA_MESSAGE',
    owner: '123456789012',
    logGroup: 'builds',
    logStream,
    subscriptionFilters: ['ingest'],
    logEvents: messages.map((message, index) => ({
      id: String(index),
      timestamp: 1_800_000_000_000 + index,
      message,
    })),
  });

const stored = () =>
  table
    .written()
    .filter((write) => write.Put?.Item?.entity === 'log_chunk')
    .flatMap((write) => unpackLines(write.Put?.Item?.lines));

describe('output of a build', () => {
  it('becomes lines of its revision’s build log, with their levels', async () => {
    const messages = [
      'Cloning\n',
      '#7 1.234 npm warn deprecated\n',
      'ERROR: no\r\n',
      'a\nb\n',
      '10%\r20%\n',
      '\u001b[31mred\u001b[0m\n',
    ];
    await handler(data(`${stream}/0f1e2d3c-build`, ...messages));
    expect(stored().map(({ level, message }) => [level, message])).toEqual([
      ['INFO', 'Cloning'],
      ['WARNING', '#7 1.234 npm warn deprecated'],
      ['ERROR', 'no'],
      ['INFO', 'a'],
      ['INFO', 'b'],
      ['INFO', '10%'],
      ['INFO', '20%'],
      ['INFO', 'red'],
    ]);
    const chunk = table.written().find((write) => write.Put?.Item?.entity === 'log_chunk')?.Put?.Item;
    expect(chunk).toMatchObject({ tenant_id: ids.tenant, revision_id: ids.revision });
  });

  it('is without what the build service says of itself', async () => {
    await handler(data(stream, '[Container] 2026/01/01 10:00:00.1 Running command base64 -d\n', 'ours\n'));
    expect(stored().map(({ message }) => message)).toEqual(['ours']);
  });

  it('is kept of no revision that is gone', async () => {
    await handler(data(stream.replace(ids.revision, ids.unknown), 'late\n'));
    expect(table.written()).toEqual([]);
  });

  it.each([
    ['a stream of another name', data('elsewhere', 'x')],
    ['a stream that leads elsewhere', data(`${ids.tenant}#D#x/${ids.deployment}/${ids.revision}`, 'x')],
    ['a greeting', event({ messageType: 'CONTROL_MESSAGE', logStream: '', logEvents: [] })],
    ['something else', { awslogs: { data: 'no gzip' } }],
    ['another form', event({ messageType: 'DATA_MESSAGE' })],
    ['nothing', undefined],
  ])('that is %s is dropped, and would not be better when it came again', async (_, given) => {
    await handler(given);
    expect(table.used()).toEqual(new Set());
  });

  it('is tried again when it cannot be masked or stored', async () => {
    kms.on(DecryptCommand).rejects(new Error('down'));
    seedRevision(table, { secrets: 1 });
    await expect(handler(data(stream, 'x\n'))).rejects.toThrow();
    expect(table.written()).toEqual([]);
    seedRevision(table);
    table.breakWith(new Error('down'));
    await expect(handler(data(stream, 'x\n'))).rejects.toThrow('down');
  });
});

it('the function has the access to the table that it uses', () => {
  expect(done.size).toBeGreaterThan(0);
  expect(functionRows.ingestLogs.access).toEqual(expect.arrayContaining([...done]));
});
