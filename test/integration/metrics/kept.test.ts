import { describe, expect, it } from 'vitest';
import { COUNTS_MINUTES_MAX, type CountsRow } from '../../../lib/contract/deployments/counts.ts';
import { rollUpMetrics } from '../../../lib/core/engine/roll-up-metrics.ts';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import {
  findTotals,
  hoursIn,
  minutesIn,
  noteQuarter,
  totalsByRevision,
} from '../../../lib/core/items/metrics.ts';
import { findUnmeasured } from '../../../lib/core/items/unmeasured.ts';
import { countOf } from '../../../lib/domain/metrics/histogram.ts';
import { mergeAll } from '../../../lib/domain/metrics/merge.ts';
import { quarterOfMinute } from '../../../lib/domain/metrics/times.ts';
import { deleteListener } from '../../../lib/features/listeners/delete.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import {
  atFullHour,
  claimWith,
  countsOf,
  lastMinute,
  minuteOf,
  type Request,
} from '../../support/world/counting.ts';
import { type Listening, listening, offered } from '../../support/world/listening.ts';
import { register, remove } from '../../support/world/requests.ts';
import { allItems } from '../../support/world/world.ts';

const ALWAYS = { from: 0, to: 9_999_999_999 };

async function scene() {
  const world = await listening();
  const of = await offered(world, 'a');
  atFullHour(world);
  const ref = { tenantId: world.caller.tenantId, deploymentId: of.id };
  const { table } = world.deps;
  const minutes = () => minutesIn(table, ref, ALWAYS);
  const hours = () => hoursIn(table, ref, ALWAYS);
  return { world, of, ref, minutes, hours };
}

const sizeOf = (item: object): number => JSON.stringify(item).length;

async function stored(world: Listening, entity: string) {
  return (await allItems(world.deps.table)).filter((item) => item.entity === entity);
}

/** The same requests in every run, of all classes and of latencies from a fraction of a millisecond to minutes. */
const request = (index: number): Request => ({
  milliseconds: (index * 7919) % 100 === 0 ? 45_000 : ((index * 104_729) % 9_973) / 7,
  status: [200, 200, 201, 304, 404, 500, 502][index % 7] ?? 200,
});

describe('what a listener counts', () => {
  it('is kept exactly, though claims are repeated and two instances count the same minutes', async () => {
    const { world, of, ref, minutes, hours } = await scene();
    const all = Array.from({ length: 10_000 }, (_, index) => request(index));
    for (let at = 0; at < 100; at++) {
      const own = all.slice(at * 100, at * 100 + 100);
      world.advance(60);
      const row = (requests: Request[]) => [minuteOf(of, lastMinute(world), countsOf(requests))];
      await claimWith(world, { counts: row(own.slice(0, 60)) });
      await claimWith(world, { counts: row(own.slice(0, 60)) });
      await claimWith(world, { counts: row(own.slice(60)) }, 'two');
    }
    const expected = countsOf(all);
    const sum = (some: { counts: object }[]) =>
      mergeAll(
        some.map(({ counts }) => counts),
        'times',
      ) ?? {};
    const found = await minutes();
    expect(found).toHaveLength(100);
    expect(sum(found).requests).toEqual(expected.requests);
    expect(sum(found).latency?.counts).toEqual(expected.latency.counts);
    expect(countOf(expected.latency)).toBe(10_000);

    // All hours of it are made once nothing of them can come any more, however often that is tried.
    world.advance(3 * 3600);
    for (let times = 0; times < 2; times++) await sweep(world.deps, { all: false }, () => undefined);
    await rollUpMetrics(world.deps, ref);
    const made = await hours();
    expect(made).toHaveLength(2);
    expect(sum(made).requests).toEqual(expected.requests);
    expect(sum(made).latency?.counts).toEqual(expected.latency.counts);
    const totals = await findTotals(world.deps.table, ref);
    expect(totals && totalsByRevision(totals).get(1)?.requests).toEqual(expected.requests);
    // Nothing is due any more.
    expect(totals?.due_at).toBeUndefined();
    expect(
      (await unitsOf(world.deps.table.client, () => sweep(world.deps, { all: false }, () => undefined)))
        .writes,
    ).toBe(0);
  });

  it('is added up once where an hour is made twice at the same time', async () => {
    const { world, of, ref, hours } = await scene();
    world.advance(60);
    await claimWith(world, { counts: [minuteOf(of, lastMinute(world), { requests: { all: 7 } })] });
    world.advance(4 * 3600);
    const both = await Promise.allSettled([rollUpMetrics(world.deps, ref), rollUpMetrics(world.deps, ref)]);
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    const totals = await findTotals(world.deps.table, ref);
    expect(totals && totalsByRevision(totals).get(1)?.requests?.all).toBe(7);
    expect(await hours()).toHaveLength(1);
  });

  it('counts again after hours in which nothing happened', async () => {
    const { world, of, ref, hours } = await scene();
    const one = async () => {
      world.advance(60);
      await claimWith(world, { counts: [minuteOf(of, lastMinute(world), { requests: { all: 5 } })] });
    };
    await one();
    world.advance(5 * 3600);
    await rollUpMetrics(world.deps, ref);
    world.advance(20 * 3600);
    await one();
    expect((await findTotals(world.deps.table, ref))?.due_at).toBeGreaterThan(world.deps.clock.now());
    world.advance(5 * 3600);
    await sweep(world.deps, { all: false }, () => undefined);
    const totals = await findTotals(world.deps.table, ref);
    expect(totals && totalsByRevision(totals).get(1)?.requests?.all).toBe(10);
    expect(await hours()).toHaveLength(2);
  });

  it('is kept by the claim that follows one that died in between', async () => {
    const { world, of, ref } = await scene();
    world.advance(60);
    const minute = lastMinute(world);
    const quarter = quarterOfMinute(minute);
    const lookAt = world.deps.clock.now() + 3_600_000;
    await write(world.deps.table, noteQuarter(ref, undefined, { name: 'a', quarter, lookAt }));
    await claimWith(world, { counts: [minuteOf(of, minute, { requests: { all: 3 } })] });
    world.advance(4 * 3600);
    await sweep(world.deps, { all: false }, () => undefined);
    const totals = await findTotals(world.deps.table, ref);
    expect(totals && totalsByRevision(totals).get(1)?.requests?.all).toBe(3);
  });

  it('is passed over where it is of another listener, of no revision, or of another time', async () => {
    const { world, of, minutes } = await scene();
    const now = lastMinute(world);
    const counts = { requests: { all: 1 } };
    const otherListener = (await register(world, 'other')).id;
    const unknown = { ...of, revisionId: of.revisionId.replace(/.{8}$/, '00000063') };
    await claimWith({ ...world, listenerId: otherListener }, { counts: [minuteOf(of, now, counts)] });
    await claimWith(world, {
      counts: [
        minuteOf(unknown, now, counts),
        minuteOf(of, now - COUNTS_MINUTES_MAX - 1, counts),
        minuteOf(of, now + 60, counts),
        minuteOf({ ...of, id: of.revisionId }, now, counts),
      ],
    });
    expect(await minutes()).toEqual([]);
    await claimWith(world, { counts: [minuteOf(of, now, counts)] });
    expect(await minutes()).toHaveLength(1);
    await remove(world, of.id);
    await claimWith(world, { counts: [minuteOf(of, now - 1, counts)] });
    expect(await minutes()).toHaveLength(1);
  });

  it('costs one read and one small write a minute, and nothing when nothing is told', async () => {
    const { world, of, ref } = await scene();
    const { client } = world.deps.table;
    const busy = countsOf(Array.from({ length: 200 }, (_, index) => request(index)));
    const gauges = {
      bytes_in: 150_000,
      bytes_out: 2_500_000,
      streams: 2,
      in_flight: 9,
      servers_wanted: 2,
      servers_ready: 2,
    };
    const used = {
      cpu_cores: 0.731,
      cpu_limit: 2,
      memory_bytes: 412_000_000,
      memory_limit: 2_147_483_648,
    };
    const minute = () => minuteOf(of, lastMinute(world), { ...busy, ...gauges, ...used });
    let writes = 0;
    let reads = 0;
    for (let at = 0; at < 60; at++) {
      world.advance(60);
      await claimWith(world, {});
      const without = await unitsOf(client, () => claimWith(world, {}));
      const units = await unitsOf(client, () => claimWith(world, { counts: [minute()] }));
      writes += units.writes - without.writes;
      reads += units.reads - without.reads;
      if (at % 15 !== 0) expect(units.reads - without.reads).toBe(1);
    }
    const quarters = await stored(world, 'metrics_quarter');
    world.advance(3 * 3600);
    const rolled = await unitsOf(client, () => rollUpMetrics(world.deps, ref));
    const [hour] = await stored(world, 'metrics_hour');
    const [totals] = await stored(world, 'metrics_totals');
    expect(Math.max(...quarters.map(sizeOf))).toBeLessThan(4096);
    expect(sizeOf(hour ?? {})).toBeLessThan(1024);
    expect(sizeOf(totals ?? {})).toBeLessThan(1024);
    // What docs/operations.md reckons with.
    expect(writes).toBeLessThanOrEqual(110);
    expect(rolled).toEqual({ reads: 4, writes: 5 });
    const [dayWrites, dayReads] = [writes + rolled.writes, reads + rolled.reads].map((each) => 24 * each);
    const bytes = 24 * (quarters.reduce((sum, item) => sum + sizeOf(item), 0) + sizeOf(hour ?? {}));
    process.stdout.write(
      `  a deployment with requests in every minute, a day: ${24 * (quarters.length + 1)} items of ${bytes} bytes together, ${dayWrites} write and ${dayReads} read units\n`,
    );
  });

  it('stays small, whatever is sent', async () => {
    const { world, of, minutes } = await scene();
    const now = lastMinute(world);
    const rows = (count: number): CountsRow[] =>
      Array.from({ length: count }, (_, index) => minuteOf(of, now - (index % 15), { requests: { all: 1 } }));
    for (let instance = 0; instance < 60; instance++)
      await claimWith(world, { counts: rows(15) }, `instance ${instance}`);
    const [quarter] = (await stored(world, 'metrics_quarter')).filter((item) => sizeOf(item) > 1000);
    expect(sizeOf(quarter ?? {})).toBeLessThan(16_384);
    expect((await minutes()).length).toBe(15);
  });
});

describe('what a listener cannot measure', () => {
  it('is kept when it is news, and goes with the listener', async () => {
    const world = await listening();
    const { table } = world.deps;
    const missing = [{ what: 'cpu', why: 'metrics-server is not installed in this cluster.' }];
    const ref = { tenantId: world.caller.tenantId, listenerId: world.listenerId };
    await claimWith(world, {});
    expect(await findUnmeasured(table, ref)).toBeUndefined();
    await claimWith(world, { missing });
    expect(await findUnmeasured(table, ref)).toEqual(missing);
    const again = await unitsOf(table.client, () => claimWith(world, { missing }));
    const without = await unitsOf(table.client, () => claimWith(world, {}));
    expect(again).toEqual({ reads: without.reads + 0.5, writes: 0 });
    await claimWith(world, { missing: [] });
    expect(await findUnmeasured(table, ref)).toEqual([]);
    await deleteListener(world.deps, { params: { listener_id: world.listenerId } }, world.caller);
    expect(await stored(world, 'listener_unmeasured')).toEqual([]);
  });
});
