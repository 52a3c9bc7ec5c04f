import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { create } from '../../../functions/logs/ingest.ts';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { limitedTable } from '../../support/table/limited-table.ts';
import { change, github, post, register, show } from '../../support/world/requests.ts';
import { allItems, aWorld } from '../../support/world/world.ts';

/** An event as CloudWatch Logs sends it. */
const packed = (content: unknown) => ({
  awslogs: { data: gzipSync(JSON.stringify(content)).toString('base64') },
});
const event = (logStream: string, messages: string[]) =>
  packed({
    messageType: 'DATA_MESSAGE',
    logStream,
    logEvents: messages.map((message, index) => ({ timestamp: Date.now() + index, message })),
  });

async function aBuild() {
  const world = await aWorld();
  const { table, keys, clock } = world.deps;
  const logs = createTableLogs(table, clock);
  await register(world, 'machine');
  const access = functionRows.ingestLogs.access;
  const limitedDeps = { table: limitedTable(table, access), keys };
  const ingest = create(() => ({ ...limitedDeps, logs: createTableLogs(limitedDeps.table, clock) }));
  const ref = (deploymentId: string, revisionId: string) => ({
    tenantId: world.caller.tenantId,
    deploymentId,
    revisionId,
  });
  return {
    world,
    ref,
    ingest,
    print: (of: ReturnType<typeof ref>, ...messages: string[]) =>
      ingest(event(`${of.tenantId}/${of.deploymentId}/${of.revisionId}/6b2f-service`, messages)),
    read: async (of: ReturnType<typeof ref>) => {
      const { entries } = await logs.query({ ...of, type: 'build' }, { order: 'asc', limit: 100 });
      return entries.map(({ level, message }) => `${level} ${message}`);
    },
  };
}

it('output of a build can be read as its revision’s build log, without the values of its secrets', async () => {
  const { world, ref, print, read } = await aBuild();
  const secrets = [
    { name: 'TOKEN', value: 'canary-of-eight-or-more' },
    { name: 'KEY', value: 'line-one-of-key\nline-two-of-key' },
    { name: 'SHORT', value: 'short' },
  ];
  const made = await post(world, github('a', { secrets }));
  const of = ref(made.id, made.latest_revision_id ?? '');
  await print(
    of,
    '[Container] 2026/01/01 10:00:00.1 Entering phase BUILD\n',
    'token canary-of-eight-or-more, short\n',
  );
  await print(of, 'line-two-of-key\n', 'ERROR: The install step ended with exit code 1\n');
  expect(await read(of)).toEqual([
    'INFO token ***, short',
    'INFO ***',
    'ERROR The install step ended with exit code 1',
  ]);
  expect(await world.deps.logs.query({ ...of, type: 'deploy' }, { order: 'asc', limit: 1 })).toMatchObject({
    entries: [],
  });
});

it('each revision’s lines are masked by its own secrets, and stay its own', async () => {
  const { world, ref, print, read } = await aBuild();
  const made = await post(world, github('a', { secrets: [{ name: 'A', value: 'first-value-of-a' }] }));
  const first = ref(made.id, made.latest_revision_id ?? '');
  await change(world, made.id, { secrets: [{ name: 'A', value: 'second-value-of-a' }] });
  const second = ref(made.id, (await show(world, made.id)).latest_revision_id ?? '');
  await Promise.all([print(first, 'first-value-of-a\n'), print(second, 'second-value-of-a\n')]);
  expect(await read(first)).toEqual(['INFO ***']);
  expect(await read(second)).toEqual(['INFO ***']);
});

it('lines of a revision that is not there, or is another tenant’s, are kept nowhere', async () => {
  const { world, ref, print, read } = await aBuild();
  const made = await post(world, github('a'));
  const of = ref(made.id, made.latest_revision_id ?? '');
  const foreign = { ...of, tenantId: '0190a000-0000-7000-8000-00000000dead' };
  await print(foreign, 'x\n');
  expect(await read(foreign)).toEqual([]);
  expect(await read(of)).toEqual([]);
});

it('output becomes lines with their levels, with their colours as text, and without the other codes of terminals', async () => {
  const { world, ref, print, read } = await aBuild();
  const made = await post(world, github('a'));
  const of = ref(made.id, made.latest_revision_id ?? '');
  await print(
    of,
    'Cloning\n',
    '#7 1.234 npm warn deprecated\n',
    'a\nb\n',
    '10%\r20%\n',
    '\u001b[2K\u001b[1A\u001b[31mred\u001b[0m\u001b]0;title\u0007\n',
    '\u001b[33mnpm warn\u001b[0m old\n',
  );
  const infos = ['a', 'b', '10%', '20%', '\\x1b[31mred\\x1b[0m'].map((message) => `INFO ${message}`);
  expect(await read(of)).toEqual([
    'INFO Cloning',
    'WARNING #7 1.234 npm warn deprecated',
    ...infos,
    'WARNING \\x1b[33mnpm warn\\x1b[0m old',
  ]);
});

it('what would not be better when it came again is dropped', async () => {
  const { world, ref, ingest } = await aBuild();
  const made = await post(world, github('a'));
  const { tenantId, deploymentId, revisionId } = ref(made.id, made.latest_revision_id ?? '');
  const before = await allItems(world.deps.table);
  for (const given of [
    event('elsewhere', ['x']),
    event(`${tenantId}#D#x/${deploymentId}/${revisionId}`, ['x']),
    packed({ messageType: 'CONTROL_MESSAGE', logStream: '', logEvents: [] }),
    { awslogs: { data: 'no gzip' } },
    packed({ messageType: 'DATA_MESSAGE' }),
    undefined,
  ])
    await ingest(given);
  expect(await allItems(world.deps.table)).toEqual(before);
});

it('what cannot be masked or stored now is tried again', async () => {
  const { world, ref, print, read } = await aBuild();
  const secrets = [{ name: 'TOKEN', value: 'canary-of-eight-or-more' }];
  const made = await post(world, github('a', { secrets }));
  const of = ref(made.id, made.latest_revision_id ?? '');
  const { openDataKey } = world.deps.keys;
  world.deps.keys.openDataKey = () => Promise.reject(new Error('the keys are out of reach'));
  await expect(print(of, 'canary-of-eight-or-more\n')).rejects.toThrow('the keys are out of reach');
  world.deps.keys.openDataKey = openDataKey;
  expect(await read(of)).toEqual([]);
  const { client } = world.deps.table;
  const { send } = client;
  client.send = () => Promise.reject(new Error('the table is out of reach'));
  await expect(print(of, 'x\n')).rejects.toThrow('the table is out of reach');
  client.send = send;
  await print(of, 'x\n');
  expect(await read(of)).toEqual(['INFO x']);
});
