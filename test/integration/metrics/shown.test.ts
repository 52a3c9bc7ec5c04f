import { describe, expect, it } from 'vitest';
import type { MetricsQuery, MetricsSource } from '../../../lib/adapters/metrics-source.ts';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import { managedListenerId } from '../../../lib/core/items/managed.ts';
import { listDeployments } from '../../../lib/features/deployments/list.ts';
import { listDeployments as listRow } from '../../../lib/features/deployments/routes.ts';
import { getDeploymentMetrics } from '../../../lib/features/metrics/of-deployment.ts';
import { getDeploymentMetrics as row } from '../../../lib/features/metrics/routes.ts';
import { metricsView } from '../../../lib/features/metrics/shape.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import {
  atFullHour,
  bucketAround,
  claimWith,
  countsOf,
  lastMinute,
  minuteOf,
  type Of,
  type Request,
} from '../../support/world/counting.ts';
import { type Listening, listening } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, postRevision } from '../../support/world/requests.ts';

type Asked = { from?: string; to?: string; step?: string };

const ask = async ({ deps, caller }: Listening, { id }: Pick<Of, 'id'>, asked: Asked = {}) =>
  metricsView
    .strict()
    .parse(
      await getDeploymentMetrics(
        deps,
        { params: { deployment_id: id }, query: row.query.parse(asked) },
        caller,
      ),
    );

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Two revisions that were deployed one after the other, at the full hour. */
async function scene() {
  const world = await listening();
  const { id } = await post(world, github('a'));
  atFullHour(world);
  const deployed = async (): Promise<Of> => ({
    id,
    revisionId: (await ended(world, id, 'DEPLOYED', { outcome: {} })).id,
  });
  const first = await deployed();
  await postRevision(world, id);
  world.advance(20 * 60);
  const second = await deployed();
  return { world, first, second };
}

const requests = (count: number, milliseconds: number, status = 200): Request[] =>
  Array.from({ length: count }, () => ({ milliseconds, status }));

/** A minute passes, of which the listener tells this. */
async function tell(world: Listening, of: Of, counts: Parameters<typeof minuteOf>[2]): Promise<void> {
  world.advance(60);
  await claimWith(world, { counts: [minuteOf(of, lastMinute(world), counts)] });
}

describe('what was measured of a deployment', () => {
  it('is shown by revision and for all together, with gaps where nothing was told', async () => {
    const { world, first, second } = await scene();
    await tell(world, first, { ...countsOf(requests(90, 20)), servers_wanted: 1, servers_ready: 1 });
    world.advance(120);
    world.advance(60);
    const minute = lastMinute(world);
    const slow = countsOf([...requests(95, 40), ...requests(5, 2500, 503)]);
    await claimWith(world, {
      counts: [
        minuteOf(first, minute, { ...countsOf(requests(10, 20)), servers_wanted: 1, servers_ready: 0 }),
        minuteOf(second, minute, { ...slow, servers_wanted: 2, servers_ready: 2 }),
      ],
    });
    await tell(world, second, { requests: { all: 0 }, servers_wanted: 2, servers_ready: 2 });
    const shown = await ask(world, first);
    expect(shown).toMatchObject({ step: 60, source: 'listener' });
    expect(Date.parse(shown.to) - Date.parse(shown.from)).toBe(3_600_000);
    expect(shown.total.map(({ requests: some }) => some?.all)).toEqual([90, 110, 0]);
    const [, both, idle] = shown.total;
    expect(both?.requests).toEqual({
      all: 110,
      failed: 5,
      '1xx': 0,
      '2xx': 105,
      '3xx': 0,
      '4xx': 0,
      '5xx': 5,
    });
    expect(both).toMatchObject({ servers_wanted: 3, servers_ready: 2, cpu_cores: null, runs: null });
    expect(idle).toMatchObject({ latency: null, servers_ready: 2 });
    const { from, to } = bucketAround(40);
    expect(both?.latency?.p50_ms).toBeGreaterThan(from);
    expect(both?.latency?.p50_ms).toBeLessThanOrEqual(to);
    const around = bucketAround(2500);
    expect(both?.latency?.p99_ms).toBeGreaterThan(around.from);
    expect(both?.latency?.p99_ms).toBeLessThanOrEqual(around.to);
    expect(
      shown.revisions.map(({ revision_id, number, points }) => [revision_id, number, points.length]),
    ).toEqual([
      [second.revisionId, 2, 2],
      [first.revisionId, 1, 2],
    ]);
    expect(shown.revisions[1]?.total.requests?.all).toBe(100);
    expect(shown.deploys.map(({ number }) => number)).toEqual([1, 2]);
    expect(shown.now).toMatchObject({ revision_id: second.revisionId, servers_ready: 2, restarts_day: null });
  });

  it('says how often servers restarted within the day, and why last', async () => {
    const { world, second } = await scene();
    await tell(world, second, { restarts: [{ reason: 'exit code 1', count: 3 }] });
    world.advance(4 * 3600);
    await sweep(world.deps, { all: false }, () => undefined);
    await tell(world, second, { restarts: [{ reason: 'OOMKilled', count: 2 }], memory_bytes: 5 });
    const at = iso(lastMinute(world) * 60_000);
    expect((await ask(world, second)).now).toMatchObject({
      restarts_day: 5,
      last_restart: { at, reason: 'OOMKilled' },
      memory_bytes: 5,
    });
    world.advance(22 * 3600);
    const day = (await ask(world, second)).now;
    expect(day).toMatchObject({ restarts_day: 2, memory_bytes: null });
    world.advance(4 * 3600);
    expect((await ask(world, second)).now).toBeNull();
  });

  it('is shown by hours and days of hours that were made, and of those that are not yet', async () => {
    const { world, second } = await scene();
    const begin = world.deps.clock.now();
    for (let hour = 0; hour < 30; hour++) {
      await tell(world, second, { requests: { all: 10, failed: 1 } });
      world.advance(59 * 60);
      await sweep(world.deps, { all: false }, () => undefined);
    }
    const asked = { from: iso(begin - 86_400_000), to: iso(world.deps.clock.now()) };
    const hours = await ask(world, second, { ...asked, step: '3600' });
    expect(hours.total.map(({ requests: some }) => some?.all)).toEqual(Array.from({ length: 30 }, () => 10));
    const days = await ask(world, second, { ...asked, step: '86400' });
    expect(days.total.reduce((sum, { requests: some }) => sum + (some?.all ?? 0), 0)).toBe(300);
    expect(days.total.length).toBeLessThanOrEqual(3);
    const quarters = await ask(world, second, { ...asked, step: '900' });
    expect(quarters.total).toHaveLength(30);
  });

  it('names what the listener cannot measure, and says so where it measures nothing', async () => {
    const { world, second } = await scene();
    expect((await ask(world, second)).missing).toHaveLength(9);
    const missing = [{ what: 'cpu', why: 'metrics-server is not installed in this cluster.' }] as const;
    await claimWith(world, { missing: [...missing] });
    expect((await ask(world, second)).missing).toEqual(missing);
  });

  it('is not given for a time that is none, or for more points than an answer has', async () => {
    const { world, second } = await scene();
    const now = world.deps.clock.now();
    await expect(ask(world, second, { from: iso(now), to: iso(now) })).rejects.toThrow("before 'to'");
    const long = { from: iso(now - 1501 * 60_000), to: iso(now) };
    await expect(ask(world, second, long)).rejects.toThrow('a longer step');
    expect(await ask(world, second, { ...long, step: '300' })).toMatchObject({ total: [] });
    const day = await ask(world, second, { step: '86400' });
    expect(Date.parse(day.to) - Date.parse(day.from)).toBe(86_400_000);
  });

  it('is read at the price of what is shown', async () => {
    const { world, second } = await scene();
    for (let minute = 0; minute < 60; minute++)
      await tell(world, second, {
        ...countsOf(requests(50, 30)),
        servers_ready: 1,
        memory_bytes: 400_000_000,
      });
    const { client } = world.deps.table;
    const hour = await unitsOf(client, () => ask(world, second));
    expect(hour.writes).toBe(0);
    expect(hour.reads).toBeLessThan(12);
  });
});

describe('what the installation runs itself', () => {
  const managed = async () => {
    const { world, first, second } = await scene();
    const listenerId = managedListenerId(world.caller.tenantId);
    await transact(world.deps.table, [
      update('deployment', deploymentKey(world.caller.tenantId, first.id), {
        set: { listener_id: listenerId },
      }),
    ]);
    return { world, first, second };
  };

  it('is measured by whoever measures there, and percentiles are not added up over revisions', async () => {
    const { world, first, second } = await managed();
    const queries: MetricsQuery[] = [];
    const point = (at: string, all: number) => ({
      at,
      requests: { all, failed: 1, '1xx': 0, '2xx': all - 1, '3xx': 0, '4xx': 0, '5xx': 1 },
      latency: { count: all, p50_ms: 10, p95_ms: 20, p99_ms: 30 },
      ...{ bytes_in: null, bytes_out: null, streams: null, in_flight: null },
      ...{
        servers_wanted: 1,
        servers_ready: 1,
        restarts: null,
        cpu_cores: 0.5,
        memory_bytes: 100,
        runs: null,
      },
    });
    const at = (minutes: number) => iso(Math.floor(world.deps.clock.now() / 60_000 - minutes) * 60_000);
    const metricsSource: MetricsSource = {
      read: async (query) => {
        queries.push(query);
        return {
          missing: [{ what: 'streams', why: 'CloudWatch does not count streams.' }],
          revisions: [
            { revision_id: second.revisionId, points: [point(at(2), 5), point(at(1), 7)] },
            { revision_id: first.revisionId, points: [point(at(2), 3)] },
          ],
          limits: { cpu_limit: 1, memory_limit: 2048 },
        };
      },
    };
    const shown = await ask({ ...world, deps: Object.assign(world.deps, { metricsSource }) }, first);
    expect(queries).toMatchObject([
      { deploymentId: first.id, name: 'a', stepSeconds: 60, revisions: [{ number: 2 }, { number: 1 }] },
    ]);
    expect(shown).toMatchObject({ source: 'cloudwatch', missing: [{ what: 'streams' }] });
    expect(shown.total.map(({ requests: some, latency }) => [some?.all, latency?.p95_ms])).toEqual([
      [8, null],
      [7, 20],
    ]);
    expect(shown.total[0]).toMatchObject({ servers_ready: 2, memory_bytes: 200 });
    expect(
      shown.revisions.map(({ number, total }) => [number, total.requests?.all, total.servers_ready]),
    ).toEqual([
      [2, 12, 1],
      [1, 3, 1],
    ]);
    expect(shown.now).toMatchObject({ revision_id: second.revisionId, cpu_cores: 0.5, cpu_limit: 1 });
  });

  it('is said not to be measured where nobody does', async () => {
    const { world, first } = await managed();
    const shown = await ask(world, first);
    expect(shown).toMatchObject({ source: null, now: null, total: [] });
    expect(shown.missing).toHaveLength(9);
  });
});

describe('the traffic in the list of deployments', () => {
  it('is of the last hour, only when it is asked for, and null where nothing was told', async () => {
    const { world, second } = await scene();
    await post(world, github('quiet'));
    await tell(world, second, { ...countsOf(requests(60, 5)), restarts: [{ reason: 'Error', count: 2 }] });
    await tell(world, second, countsOf(requests(30, 5, 500)));
    const list = async (query: object) =>
      (await listDeployments(world.deps, { query: listRow.query.parse(query) }, world.caller)).resources;
    expect((await list({})).map(({ traffic }) => traffic)).toEqual([null, null]);
    const [quiet, busy] = await list({ traffic: 'true' });
    expect(quiet?.traffic).toBeNull();
    expect(busy?.traffic).toMatchObject({ step: 300, a_minute: 1.5, restarts: 2 });
    const told = busy?.traffic?.requests.filter((count) => count !== null) ?? [];
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(90);
    expect(busy?.traffic?.requests).toHaveLength(12);
    expect(
      busy?.traffic?.failed.filter((count) => count !== null).reduce((sum, count) => sum + count, 0),
    ).toBe(30);
    world.advance(2 * 3600);
    expect((await list({ traffic: 'true' })).map(({ traffic }) => traffic)).toEqual([null, null]);
  });
});
