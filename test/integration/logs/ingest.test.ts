import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { create } from '../../../functions/logs/ingest.ts';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import { change, github, post, register, show } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

const event = (logStream: string, messages: string[]) => ({
  awslogs: {
    data: gzipSync(
      JSON.stringify({
        messageType: 'DATA_MESSAGE',
        logStream,
        logEvents: messages.map((message, index) => ({ timestamp: Date.now() + index, message })),
      }),
    ).toString('base64'),
  },
});

async function aBuild() {
  const plane = await aWorld();
  const { table, keys, clock } = plane.deps;
  const logs = createTableLogs(table, clock);
  await register(plane, 'machine');
  const ingest = create(() => ({ table, keys, logs }));
  const ref = (deploymentId: string, revisionId: string) => ({
    tenantId: plane.caller.tenantId,
    deploymentId,
    revisionId,
  });
  return {
    plane,
    ref,
    print: (of: ReturnType<typeof ref>, ...messages: string[]) =>
      ingest(event(`${of.tenantId}/${of.deploymentId}/${of.revisionId}/6b2f-service`, messages)),
    read: async (of: ReturnType<typeof ref>) => {
      const { entries } = await logs.query({ ...of, type: 'build' }, { order: 'asc', limit: 100 });
      return entries.map(({ level, message }) => `${level} ${message}`);
    },
  };
}

it('output of a build can be read as its revision’s build log, without the values of its secrets', async () => {
  const { plane, ref, print, read } = await aBuild();
  const secrets = [
    { name: 'TOKEN', value: 'canary-of-eight-or-more' },
    { name: 'KEY', value: 'line-one-of-key\nline-two-of-key' },
    { name: 'SHORT', value: 'short' },
  ];
  const made = await post(plane, github('a', { secrets }));
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
  expect(await plane.deps.logs.query({ ...of, type: 'deploy' }, { order: 'asc', limit: 1 })).toMatchObject({
    entries: [],
  });
});

it('each revision’s lines are masked by its own secrets, and stay its own', async () => {
  const { plane, ref, print, read } = await aBuild();
  const made = await post(plane, github('a', { secrets: [{ name: 'A', value: 'first-value-of-a' }] }));
  const first = ref(made.id, made.latest_revision_id ?? '');
  await change(plane, made.id, { secrets: [{ name: 'A', value: 'second-value-of-a' }] });
  const second = ref(made.id, (await show(plane, made.id)).latest_revision_id ?? '');
  await Promise.all([print(first, 'first-value-of-a\n'), print(second, 'second-value-of-a\n')]);
  expect(await read(first)).toEqual(['INFO ***']);
  expect(await read(second)).toEqual(['INFO ***']);
});

it('lines of a revision that is not there, or is another tenant’s, are kept nowhere', async () => {
  const { plane, ref, print, read } = await aBuild();
  const made = await post(plane, github('a'));
  const of = ref(made.id, made.latest_revision_id ?? '');
  const foreign = { ...of, tenantId: '0190a000-0000-7000-8000-00000000dead' };
  await print(foreign, 'x\n');
  expect(await read(foreign)).toEqual([]);
  expect(await read(of)).toEqual([]);
});
