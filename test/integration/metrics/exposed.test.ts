import { expect, it } from 'vitest';
import { COUNTS_ROWS_MAX } from '../../../lib/contract/deployments/counts.ts';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import { beginQuarter, noteQuarter, slotOf, totalsOf } from '../../../lib/core/items/metrics.ts';
import { quarterOfMinute } from '../../../lib/domain/metrics/times.ts';
import { revisionId as numbered } from '../../../lib/domain/revision-id.ts';
import { exposeMetrics } from '../../../lib/features/metrics/expose.ts';
import { collected } from '../../../lib/store/dynamodb/collected.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { metricsTotalsKey } from '../../../lib/store/keys/metrics.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { atFullHour, claimWith, countsOf, lastMinute, minuteOf } from '../../support/world/counting.ts';
import { type Listening, listening, offered } from '../../support/world/listening.ts';
import { github, post } from '../../support/world/requests.ts';

const ask = async ({ deps, caller }: Listening) => (await exposeMetrics(deps, {}, caller)).text;

/** Values by series, as Prometheus reads them. */
function series(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const labels = '{service_name="a",service_version="1"';

async function scene() {
  const world = await listening();
  const of = await offered(world, 'a');
  await post(world, github('quiet'));
  atFullHour(world);
  /** So many minutes pass, of which the listener tells the same with one claim. */
  const tell = async (minutes = 1, others: object = {}) => {
    world.advance(60 * minutes);
    const counts = countsOf([
      { milliseconds: 12, status: 200 },
      { milliseconds: 45, status: 204 },
      { milliseconds: 1_400, status: 500 },
    ]);
    const more = { servers_wanted: 2, servers_ready: 1, restarts: [{ reason: 'exit code 1', count: 1 }] };
    const runs = { begun: 2, succeeded: 1, failed: 1, durations: { counts: [0, 2], sum_ms: 3 } };
    const row = (ago: number) =>
      minuteOf(of, lastMinute(world) - ago, { ...counts, ...more, runs, ...others });
    await claimWith(world, { counts: Array.from({ length: minutes }, (_, ago) => row(ago)) });
  };
  return { world, tell };
}

it('counts on over the hours that are made of minutes, and leaves out what was silent', async () => {
  const { world, tell } = await scene();
  expect([...series(await ask(world))]).toEqual([['slipway_revisions_left_out', 0]]);
  let before = new Map<string, number>();
  for (let minute = 10; minute <= 200; minute += 10) {
    await tell(10);
    // Hours are made meanwhile.
    await sweep(world.deps, { all: false }, () => undefined);
    const now = series(await ask(world));
    expect(now.get(`http_server_request_duration_seconds_count${labels}}`)).toBe(3 * minute);
    for (const [name, value] of before)
      if (/_(?:total|count|sum|bucket)\b/.test(name)) expect(now.get(name)).toBeGreaterThanOrEqual(value);
    before = now;
  }
  expect(before.get(`slipway_http_requests_total${labels},status="2xx"}`)).toBe(400);
  expect(before.get(`slipway_http_requests_total${labels},status="3xx"}`)).toBe(0);
  expect(before.get(`slipway_http_requests_failed_total${labels}}`)).toBe(200);
  expect(before.get(`http_server_request_duration_seconds_bucket${labels},le="0.015"}`)).toBe(200);
  expect(before.get(`http_server_request_duration_seconds_bucket${labels},le="+Inf"}`)).toBe(600);
  expect(before.get(`http_server_request_duration_seconds_sum${labels}}`)).toBeCloseTo(200 * 1.457);
  expect(before.get(`slipway_server_restarts_total${labels},reason="exit code 1"}`)).toBe(200);
  expect(before.get(`slipway_runs_ended_total${labels},outcome="failed"}`)).toBe(200);
  expect(before.get(`slipway_servers_ready${labels}}`)).toBe(1);
  world.advance(40 * 60);
  expect([...series(await ask(world))]).toEqual([['slipway_revisions_left_out', 0]]);
  // It counts on where it was.
  await tell();
  expect(series(await ask(world)).get(`http_server_request_duration_seconds_count${labels}}`)).toBe(603);
});

it('is text that keeps the rules of the format', async () => {
  const { world, tell } = await scene();
  await tell();
  const text = await ask(world);
  expect(text.endsWith('\n')).toBe(true);
  const families = text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm);
  const names = [...families].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#')))
    expect(line).toMatch(/^[a-z][a-z0-9_]*(?:\{(?:[a-z]+(?:_[a-z]+)*="[^"\\\n]*",?)+\})? -?[\d.e+-]+$/);
  const buckets = [...text.matchAll(/^http_server_request_duration_seconds_bucket.* (\d+)$/gm)];
  const values = buckets.map(([, value]) => Number(value));
  expect(values).toEqual(values.toSorted((a, b) => a - b));
});

it('is of one tenant, and reads the hours that are still open', async () => {
  const { world, tell } = await scene();
  const more = { servers_ready: 2, streams: 1, in_flight: 7, bytes_in: 140_000, bytes_out: 2_400_000 };
  const used = { cpu_cores: 0.731, cpu_limit: 2, memory_bytes: 412_000_000, memory_limit: 2_147_483_648 };
  for (let ten = 0; ten < 20; ten++) await tell(10, { ...more, ...used });
  await sweep(world.deps, { all: false }, () => undefined);
  const stranger = world.as({ tenantId: 'another' });
  expect((await exposeMetrics(stranger.deps, {}, stranger.caller)).text).not.toContain('service_name');
  const { reads, writes } = await unitsOf(world.deps.table.client, () => ask(world));
  expect(writes).toBe(0);
  // What docs/operations.md reckons with.
  expect(reads).toBeLessThanOrEqual(8);
});

it('never falls, also where it reads totals that are a moment behind', async () => {
  const { world, tell } = await scene();
  const count = async () =>
    series(await ask(world)).get(`http_server_request_duration_seconds_count${labels}}`);
  await tell(10);
  const [behind] = await collected(totalsOf(world.deps.table, world.caller.tenantId));
  await tell(10);
  expect(await count()).toBe(60);
  const key = metricsTotalsKey({ tenantId: world.caller.tenantId, deploymentId: behind?.sk ?? '' });
  const set = { quarter: behind?.quarter };
  await transact(world.deps.table, [update('metrics_totals', key, { set })]);
  expect(await count()).toBe(60);
});

it('lists as many revisions as one answer may have, and says how many it leaves out', async () => {
  const { world } = await scene();
  const { id, revisionId } = await offered(world, 'busy');
  const { tenantId } = world.caller;
  const all = 230;
  const set = { latest_number: all };
  await transact(world.deps.table, [update('deployment', deploymentKey(tenantId, id), { set })]);
  const minute = lastMinute(world);
  const revisions = Array.from({ length: all }, (_, index) => numbered(revisionId, index + 1));
  for (let first = 0; first < all; first += COUNTS_ROWS_MAX) {
    const some = revisions.slice(first, first + COUNTS_ROWS_MAX);
    const counts = some.map((each) => minuteOf({ id, revisionId: each }, minute, { requests: { all: 1 } }));
    await claimWith(world, { counts });
  }
  const shown = series(await ask(world));
  expect(shown.get('slipway_revisions_left_out')).toBe(30);
  expect(
    [...shown.keys()].filter((name) => name.startsWith('slipway_http_requests_failed_total')),
  ).toHaveLength(200);
  // The newest are listed.
  expect(shown.has('slipway_http_requests_failed_total{service_name="busy",service_version="230"}')).toBe(
    true,
  );
});

it('lists a deployment once whose name another one had that is deleted', async () => {
  const { world, tell } = await scene();
  await tell();
  const ref = { tenantId: world.caller.tenantId, deploymentId: '00000000-0000-7000-8000-000000000000' };
  const quarter = quarterOfMinute(lastMinute(world));
  const lookAt = world.deps.clock.now() + 3_600_000;
  await write(world.deps.table, noteQuarter(ref, undefined, { name: 'a', quarter, lookAt }));
  const slots = { [slotOf(lastMinute(world), 1, 'one')]: { requests: { all: 100 } } };
  await write(world.deps.table, beginQuarter(ref, quarter, slots));
  const text = await ask(world);
  expect(text.match(/^slipway_http_requests_failed_total\{/gm)).toHaveLength(1);
  expect(series(text).get(`http_server_request_duration_seconds_count${labels}}`)).toBe(3);
});
