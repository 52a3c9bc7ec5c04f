import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryMegabytes } from '../support/programs/memory.ts';
import { until } from '../support/until.ts';
import { type Audited, askedBetween, rightAskedBy } from './audit.ts';
import { openProxy, type Proxy } from './proxy.ts';
import { type RunningListener, World } from './world.ts';

const FEW = 20;
const MANY = 200;
/** So many are brought up at a time. */
const BATCH = 40;
const BATCHES_TIMEOUT_MS = 900_000;
/** Both sides are asked for everything every five minutes. */
const WINDOW_TIMEOUT_MS = 600_000;
/** Timers of the two are not in step, so one may have gone off once more, within the same window. */
const MORE = 2;

/** A listener that has so many deployments in a namespace of its own, and what it asks the control plane. */
type Idle = {
  count: number;
  namespace: string;
  world: World;
  proxy: Proxy;
  listener: RunningListener;
  /** Method and path without ids, and when. */
  asked: { at: number; what: string }[];
};

let few: Idle;
let many: Idle;

async function start(world: World, count: number): Promise<Idle> {
  const asked: Idle['asked'] = [];
  const proxy = await openProxy(world.program.baseUrl, {
    before: ({ method, path }) =>
      void asked.push({ at: Date.now(), what: `${method} ${routeOf(path, world.listenerId)}` }),
  });
  const [namespace = ''] = world.namespaces;
  const listener = world.listen(undefined, '--url', proxy.url);
  return { count, namespace, world, proxy, listener, asked };
}

const routeOf = (path: string, listenerId: string): string =>
  path.split(`${listenerId}/`)[1]?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID') ?? path;

async function bringUp({ count, world, namespace }: Idle): Promise<void> {
  for (let at = 0; at < count; at += BATCH) {
    const length = Math.min(BATCH, count - at);
    const names = Array.from({ length }, (_, index) => `${namespace}-${at + index}`);
    const made = names.map((name) => world.deploy(name, 'example.test/agent:1'));
    await world.allDeployed(await Promise.all(made));
  }
}

beforeAll(async () => {
  const first = await World.open(['few']);
  few = await start(first, FEW);
  many = await start(await first.beside(['many']), MANY);
});

afterAll(async () => {
  for (const { listener, proxy } of [few, many]) {
    await listener.stop();
    await proxy.close();
  }
  await few.world.close();
});

const whatSince = ({ asked }: Idle, since: number) =>
  asked.filter(({ at }) => at >= since).map(({ what }) => what);

/** Nothing but the question for work was asked, and that more than once. */
function isQuiet(idle: Idle): boolean {
  const last = idle.asked.slice(-3).map(({ what }) => what);
  return last.length === 3 && last.every((what) => what === 'POST tasks/claim');
}

const everything = ['GET desired', 'POST status'];
const hasAskedEverything = (idle: Idle, since: number) =>
  everything.every((what) => whatSince(idle, since).includes(what));

/** How often each thing was asked. */
function counted(asked: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const what of asked) counts.set(what, (counts.get(what) ?? 0) + 1);
  return counts;
}

/** What is asked for more often where there is more, as `what: how often here, and there`. */
function grown(here: Map<string, number>, there: Map<string, number>): string[] {
  return [...there]
    .filter(([what, count]) => count > (here.get(what) ?? 0) + MORE)
    .map(([what, count]) => `${what}: ${here.get(what) ?? 0}, and ${count}`);
}

type Window = { from: number; to: number };

/**
 * Log streams are apart: one stays open a server. Those of more servers than a node may have are broken off
 * here, for this machine follows no more than 128 files at once (fs.inotify.max_user_instances).
 */
const isOfLog = ({ objectRef }: Audited): boolean =>
  objectRef?.resource === 'pods' && objectRef.name !== undefined;

/** The next renewal comes so long after an answer: how many there are says how fast the machine is. */
const isOfLease = ({ objectRef }: Audited): boolean => objectRef?.resource === 'leases';

const toCluster = async ({ world, namespace }: Idle, { from, to }: Window): Promise<string[]> => {
  const inside: Audited[] = await askedBetween(world.cluster.auditLog, namespace, from, to);
  return inside.filter((each) => !isOfLog(each) && !isOfLease(each)).map(rightAskedBy);
};

async function show(idle: Idle, { from, to }: Window, asked: Record<string, string[]>): Promise<void> {
  const minutes = (to - from) / 60_000;
  const rates = Object.entries(asked).map(
    ([side, { length }]) => `${(length / minutes).toFixed(1)} requests a minute to the ${side}`,
  );
  const memory = await memoryMegabytes([{ pid: idle.listener.group.pid ?? 0 }]);
  process.stdout.write(`  ${idle.count} deployments: ${rates.join(', ')}; ${memory.toFixed(0)} MiB\n`);
}

describe('an idle listener', () => {
  it('asks both sides as often with 200 deployments as with 20', {
    timeout: BATCHES_TIMEOUT_MS + WINDOW_TIMEOUT_MS,
  }, async () => {
    await bringUp(few);
    await bringUp(many);
    const isAllQuiet = () => [few, many].every(isQuiet);
    await until(isAllQuiet, { timeoutMs: WINDOW_TIMEOUT_MS, what: 'both to be idle' });
    const from = Date.now();
    await until(() => [few, many].every((idle) => hasAskedEverything(idle, from)), {
      timeoutMs: WINDOW_TIMEOUT_MS,
      what: () => JSON.stringify([few, many].map((idle) => [...counted(whatSince(idle, from))])),
    });
    const window = { from, to: Date.now() };
    const [here, there] = await Promise.all(
      [few, many].map(async (idle) => {
        const asked = {
          'control plane': whatSince(idle, from),
          'API server': await toCluster(idle, window),
        };
        await show(idle, window, asked);
        return counted(Object.values(asked).flat());
      }),
    );
    expect(here?.size).toBeGreaterThan(everything.length);
    expect(grown(here ?? new Map(), there ?? new Map())).toEqual([]);
  });
});
