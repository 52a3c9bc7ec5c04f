import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { create } from '../../../functions/logs/ingest-output.ts';
import { createTableLogs } from '../../../lib/adapters/aws/logs.ts';
import { managingRows } from '../../../lib/contract/functions.ts';
import { limitedTable } from '../../support/table/limited-table.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/** A deployment with secrets, a server of whose revision prints. */
async function aServer(secrets: { name: string; value: string }[] = []) {
  const world = await aWorld();
  const { table, keys, clock } = world.deps;
  const logs = createTableLogs(table, clock);
  await register(world, 'machine');
  const { id: deploymentId, latest_revision_id: revisionId } = await post(world, github('a', { secrets }));
  const limited = limitedTable(table, managingRows.ingestOutput.access);
  const ingest = create(() => ({ table: limited, keys, logs: createTableLogs(limited, clock) }));
  const { tenantId } = world.caller;
  const of = { tenantId, deploymentId, revisionId: revisionId ?? '', type: 'deploy' as const };
  const read = async (query: Partial<Parameters<typeof logs.query>[1]> = {}) =>
    (await logs.query(of, { order: 'asc', limit: 100, ...query })).entries;
  return {
    ...of,
    logs,
    of,
    now: clock.now,
    read,
    /** As the driver of ECS names the streams of the tasks of a set. */
    print: (messages: string[], { task = 't1', timestamp = clock.now(), revision = of.revisionId } = {}) =>
      ingest({
        awslogs: {
          data: gzipSync(
            JSON.stringify({
              messageType: 'DATA_MESSAGE',
              logStream: `${tenantId}/${deploymentId}/${revision}/agent/${task}`,
              logEvents: messages.map((message, index) => ({ timestamp: timestamp + index, message })),
            }),
          ).toString('base64'),
        },
      }),
    lines: async () => (await read()).map(({ level, message }) => `${level} ${message}`),
  };
}

it('what servers print stands in the deploy log, with its level, beside what the driver says', async () => {
  const { print, logs, of, now, read, lines } = await aServer();
  const at = now() - 10_000;
  await logs.append(of, [{ timestamp: at, level: 'INFO', message: 'made the set' }]);
  await Promise.all([
    print(['{"level":"debug","event":"x"}', '\u001b[31mERROR\u001b[0m: no database\r'], {
      timestamp: at + 1,
    }),
    print(['10%\r100%'], { task: 't2', timestamp: at + 1 }),
  ]);
  await logs.append(of, [{ timestamp: at + 5_000, level: 'INFO', message: 'Traffic moved.' }]);
  const all = await lines();
  expect(all.toSorted()).toEqual([
    'DEBUG {"level":"debug","event":"x"}',
    'ERROR ERROR: no database',
    'INFO 10%',
    'INFO 100%',
    'INFO Traffic moved.',
    'INFO made the set',
  ]);
  expect([all[0], all.at(-1)]).toEqual(['INFO made the set', 'INFO Traffic moved.']);
  expect((await read({ level: 'WARNING' })).map(({ message }) => message)).toEqual(['ERROR: no database']);
  expect((await logs.query({ ...of, type: 'build' }, { order: 'asc', limit: 1 })).entries).toEqual([]);
});

it('who follows sees each line once, also one that arrives after later ones', async () => {
  const { print, logs, of, now } = await aServer();
  const at = now() - 10_000;
  const seen: string[] = [];
  let offset: string | undefined;
  const follow = async () => {
    const page = await logs.query(of, { order: 'asc', limit: 2, ...(offset !== undefined && { offset }) });
    offset = page.nextOffset;
    seen.push(...page.entries.map(({ message }) => message));
  };
  await print(['b', 'c', 'd'], { timestamp: at + 100 });
  await follow();
  await print(['a'], { task: 't2', timestamp: at });
  await follow();
  await follow();
  await follow();
  expect(seen).toEqual(['b', 'c', 'd', 'a']);
});

it('has no value of the environment, in any form in which a server may print it', async () => {
  const { print, lines } = await aServer([
    { name: 'TOKEN', value: 'canary-of-eight-or-more' },
    { name: 'KEY', value: 'first "line" of key\nsecond line of key' },
    { name: 'SHORT', value: 'short' },
  ]);
  await print([
    'token canary-of-eight-or-more, short',
    JSON.stringify({ key: 'first "line" of key\nsecond line of key' }),
    'second line of key',
    '\u001b[32mcanary-of-\u001b[0meight-or-more',
  ]);
  expect(await lines()).toEqual(['INFO token ***, short', 'INFO {"key":"***"}', 'INFO ***', 'INFO ***']);
});

it('is kept nowhere when its revision is gone', async () => {
  const { print, lines } = await aServer();
  await print(['x'], { revision: '0190a000-0000-7000-8000-00000000dead' });
  expect(await lines()).toEqual([]);
});
