import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { revisionsBetween } from '../../lib/core/items/revisions.ts';
import { isTerminal } from '../../lib/domain/transitions.ts';
import { claimTasks } from '../../lib/features/listener-protocol/claim.ts';
import { unitsOf } from '../support/table/consumed.ts';
import { until } from '../support/until.ts';
import { putInFlight } from '../support/world/in-flight.ts';
import { complete } from '../support/world/listening.ts';
import { change, github, post } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { printTable, quantile } from './table.ts';

const CLIENTS = 10;
const POLL_MILLISECONDS = 20;

/** Lets builds end as soon as they have begun. */
function buildAtOnce({ deps: { builds } }: RunningWorld): void {
  const start = builds.start.bind(builds);
  builds.start = async (job) => {
    const started = await start(job);
    setImmediate(() => void builds.succeed(job.buildName));
    return started;
  };
}

/** A listener for which everything runs as soon as it is claimed, until `signal`. */
async function deployAtOnce(world: RunningWorld, signal: AbortSignal): Promise<void> {
  const params = { listener_id: world.listenerId };
  const body = { instance_id: 'one', max: 10, holding: [], wait_seconds: 0 };
  while (!signal.aborted) {
    const { tasks } = await claimTasks(world.deps, { params, body }, world.caller);
    await Promise.all(
      tasks.map((task) => complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/it' })),
    );
    if (tasks.length === 0) await delay(POLL_MILLISECONDS);
  }
}

/** Makes deployments with so many revisions each, several clients side by side. Gives their ids. */
async function makeMany(world: RunningWorld, deployments: number, revisions: number): Promise<string[]> {
  const names = Array.from({ length: deployments }, (_, n) => `d${n}`);
  const ids: string[] = [];
  const client = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const { id } = await post(world, github(name));
      for (let n = 1; n < revisions; n++)
        await change(world, id, { source_revision_config: { repo_ref: `ref-${n}` } });
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return ids;
}

/** Counts the revisions that have ended, by what is told of them: looking costs the table nothing. */
function endedCounter({ deps: { events } }: RunningWorld): () => number {
  const ended = new Set<string>();
  const publish = events.publish.bind(events);
  events.publish = (told) => {
    for (const event of told)
      if ('status' in event && event.status !== undefined && isTerminal(event.status))
        ended.add(event.revision_id ?? '');
    return publish(told);
  };
  return () => ended.size;
}

const DEPLOYMENTS = Number(process.env.TEST_MASS);
const REVISIONS = 5;
const DUE = 1000;
/** Nobody waits so long: it only ends a run that is stuck. */
const STUCK_MS = 1_800_000;

const mebibytes = (bytes: number): number => bytes / 1024 ** 2;

/**
 * The times that a deployment's revisions took, in milliseconds; fails when one was not deployed, or not in
 * its turn.
 */
async function timesOf({ deps, caller }: RunningWorld, deploymentId: string): Promise<number[]> {
  const owner = { tenantId: caller.tenantId, deploymentId };
  const times: number[] = [];
  let nextBegan = '~';
  // Newest first: each has ended before the one that was seen before it began.
  for await (const { id, status, history } of revisionsBetween(deps.table, owner, 1, REVISIONS)) {
    const at = (index: number): string => history.at(index)?.at ?? '';
    expect([id, status]).toEqual([id, 'DEPLOYED']);
    expect(at(-1) <= nextBegan).toBe(true);
    nextBegan = history.find((entry) => entry.status === 'AWAITING_BUILD')?.at ?? '';
    times.push(Date.parse(at(-1)) - Date.parse(at(0)));
  }
  expect(times).toHaveLength(REVISIONS);
  return times;
}

type Run = { ids: string[]; requestedMs: number; totalMs: number; memoryBefore: number; memoryMax: number };

/** Makes all deployments with their revisions, and waits until everything has ended. */
async function runAll(world: RunningWorld): Promise<Run> {
  buildAtOnce(world);
  const ended = endedCounter(world);
  const memoryBefore = process.memoryUsage.rss();
  let memoryMax = memoryBefore;
  const sampling = setInterval(() => (memoryMax = Math.max(memoryMax, process.memoryUsage.rss())), 200);
  const listening = new AbortController();
  const listener = deployAtOnce(world, listening.signal);
  const startedAt = performance.now();
  const ids = await makeMany(world, DEPLOYMENTS, REVISIONS);
  const requestedMs = performance.now() - startedAt;
  await until(() => ended() === DEPLOYMENTS * REVISIONS, {
    timeoutMs: STUCK_MS,
    what: () => `all to end, ${ended()} have ended`,
  });
  const totalMs = performance.now() - startedAt;
  clearInterval(sampling);
  listening.abort();
  await listener;
  return { ids, requestedMs, totalMs, memoryBefore, memoryMax };
}

/** Sweeps until nothing is left, and says what that read and wrote. */
async function sweepAll(world: RunningWorld) {
  let looked = 0;
  const units = await unitsOf(world.deps.table.client, async () => {
    for (let left = 1; left > 0; ) {
      const swept = await world.sweep();
      looked += swept.looked;
      left = swept.left;
    }
  });
  return { looked, ...units };
}

describe('many at once', () => {
  it(
    'are all deployed, in order',
    async () => {
      const world = await aRunningWorld();
      const { ids, requestedMs, totalMs, memoryBefore, memoryMax } = await runAll(world);
      const times = (await Promise.all(ids.map((id) => timesOf(world, id)))).flat();
      expect(times).toHaveLength(DEPLOYMENTS * REVISIONS);
      world.advance(3601);
      // What sweep itself costs: nothing that its writes would bring about.
      await world.loseStream();
      const swept = await sweepAll(world);
      printTable(
        `${DEPLOYMENTS} deployments x ${REVISIONS} revisions, an instant builder and an instant listener`,
        ['', 'value'],
        [
          ['all requests answered, s', requestedMs / 1000],
          ['all deployed, s', totalMs / 1000],
          ['revisions a second', times.length / (totalMs / 1000)],
          ['create to DEPLOYED, p50, s', quantile(times, 0.5) / 1000],
          ['create to DEPLOYED, p99, s', quantile(times, 0.99) / 1000],
          ['memory before, MiB', mebibytes(memoryBefore)],
          ['memory at most, MiB', mebibytes(memoryMax)],
          [`sweep an hour later, ${swept.looked} deployments, read units`, swept.reads],
          ['the same, write units', swept.writes],
        ],
      );
    },
    STUCK_MS,
  );

  it(
    'are looked at by a sweep while a build is at work in each',
    async () => {
      const world = await aRunningWorld();
      await world.loseStream();
      await putInFlight(world, DUE);
      world.deps.workflow.status = async () => 'running';
      world.deps.builds.state = async () => ({ state: 'running' });
      const startedAt = performance.now();
      const { looked, reads, writes } = await sweepAll(world);
      expect(looked).toBe(DUE);
      printTable(
        `Sweeps with ${DUE} deployments due, a build at work in each`,
        ['', 'value'],
        [
          ['read units', reads],
          ['write units', writes],
          ['seconds', (performance.now() - startedAt) / 1000],
        ],
      );
    },
    STUCK_MS,
  );
});
