import { expect, it } from 'vitest';
import { openBuildLog } from '../../../lib/embedded/builder/build-log.ts';
import { shipLogs } from '../../../lib/features/listener-protocol/logs.ts';
import { shipTaskLogs } from '../../../lib/features/listener-protocol/task-logs.ts';
import { ingestBuildLog, ingestServerOutput } from '../../../lib/features/logs/ingest.ts';
import { lineReader } from '../../../lib/processes/output.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';

const LINES = 400;
/** Lines are not masked for nothing; a mask of these secrets takes as long as thousands of lines. */
const TIMES_LONGER_MAX = 20;

const manyLines = Array.from({ length: 7_167 }, (_, at) => String(at).padStart(8, 'x')).join('\n');

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    timestamp: Date.now() + at,
    level: 'INFO' as const,
    message: `line ${at} of ${String(at).padStart(8, 'x')}`,
  }));

async function aTask() {
  const world = await listening();
  const { id, revisionId } = await offered(world, 'a', [{ name: 'KEYS', value: manyLines }]);
  const [task] = (await claim(world)).tasks;
  const { listenerId, caller } = world;
  const ref = { tenantId: caller.tenantId, deploymentId: id, revisionId };
  const kept: string[] = [];
  const logs = {
    ...world.deps.logs,
    append: async (_: unknown, written: readonly { message: string }[]) => {
      kept.push(...written.map(({ message }) => message));
    },
  };
  const deps = { ...world.deps, logs };
  const params = { listener_id: listenerId, task_id: task?.task_id ?? '' };
  const batches = (count: number) => [{ deployment_id: id, revision_id: revisionId, lines: lines(count) }];
  const ways: Record<string, (count: number) => Promise<unknown>> = {
    'a server': (count) => shipLogs(deps, { params, body: { batches: batches(count) } }, caller),
    'a task': (count) =>
      shipTaskLogs(deps, { params, body: { lease_id: task?.lease_id ?? '', lines: lines(count) } }, caller),
    'a build': (count) => ingestBuildLog(deps, ref, lines(count)),
    'a server on Fargate': (count) => ingestServerOutput(deps, ref, lines(count)),
    'a build on this machine': async (count) => {
      const log = openBuildLog(
        logs,
        { ...ref, type: 'build' },
        { maskValues: [manyLines], hide: (text) => text },
      );
      for (const { message, timestamp } of lines(count)) {
        log.output({ line: message, timestamp, stream: 'stdout', isCut: false });
      }
      await log.flush();
    },
  };
  return { ways, kept };
}

it('lines that come together are masked by one mask, however many lines the secrets have', async () => {
  const { ways, kept } = await aTask();
  const slow: string[] = [];
  for (const [name, way] of Object.entries(ways)) {
    kept.length = 0;
    await way(LINES);
    expect(kept).toEqual(lines(LINES).map((_, at) => `line ${at} of ***`));
    const longer = (await quickest(() => way(LINES))) / (await quickest(() => way(1)));
    if (longer > TIMES_LONGER_MAX) slow.push(`${name}: ${LINES} lines take ${longer} times as long as one`);
  }
  expect(slow).toEqual([]);
});

it('a build on this machine shows no beginning of a secret where a line is cut', async () => {
  const kept: string[] = [];
  const logs = {
    append: async (_: unknown, written: readonly { message: string }[]) => {
      kept.push(...written.map(({ message }) => message));
    },
  };
  const stream = { tenantId: 't', deploymentId: 'd', revisionId: 'r', type: 'build' } as const;
  const log = openBuildLog(logs, stream, { maskValues: ['a-very-secret-value'], hide: (text) => text });
  const reader = lineReader((line) => log.output(line));
  void reader.write('stdout', Buffer.from('a-very-secret-value'.repeat(1000)));
  await reader.end();
  await log.flush();
  expect(kept).toEqual([expect.stringMatching(/^(?:\*\*\*)+$/)]);
  expect(log.tail()).toEqual(kept);
});

async function quickest(work: () => Promise<unknown>): Promise<number> {
  let milliseconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const begin = performance.now();
    await work();
    milliseconds = Math.min(milliseconds, performance.now() - begin);
  }
  return milliseconds;
}
