import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managedKinds } from '../../lib/listener/drivers/kubernetes/kinds.ts';
import { labels } from '../../lib/listener/drivers/kubernetes/render/names.ts';
import type { ShownDeployment } from '../support/programs/program.ts';
import { say } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { ControlPlaneProxy } from './control-plane-proxy.ts';
import { type RunningListener, World } from './world.ts';

const NAMESPACES = ['one', 'two', 'three'] as const;
const FEW = 20;
const MANY = 200;
/** A claim is held for 20 seconds while there is no work. */
const CLAIMS = 2;
const WINDOW_TIMEOUT_MS = 300_000;
const TIMEOUT_MS = 120_000;
const CLAIM = 'POST /v2/listeners/…/tasks/claim';
/** What a lease needs, or a claim, may fall on either side of a window's ends. */
const ENDS_MAX = 3;

let world: World;
let proxy: ControlPlaneProxy;
let listener: RunningListener;
const made: ShownDeployment[] = [];

const listen = () => world.listen(undefined, '--url', proxy.url);

beforeAll(async () => {
  world = await World.open(NAMESPACES);
  proxy = await ControlPlaneProxy.open(world.program.baseUrl);
  listener = listen();
});

afterAll(async () => {
  await listener.stop();
  proxy.close();
  await world.close();
});

async function deployUntil(count: number): Promise<void> {
  const some = Array.from({ length: count - made.length }, (_, index) => {
    const number = made.length + index;
    const namespace = NAMESPACES[number % NAMESPACES.length] ?? 'one';
    return world.deploy(`idle-${number}`, 'example.test/agent:1', { namespace });
  });
  const begun = await Promise.all(some);
  for (const each of begun) await world.deployed(each);
  made.push(...begun);
}

type Audited = { stage: string; verb: string; userAgent?: string; objectRef?: { resource: string } };

/** What listeners have asked of the API server; watches and followed logs are asked once and held. */
async function askedOfCluster(): Promise<string[]> {
  const lines = (await readFile(world.cluster.auditLog, 'utf8')).split('\n').slice(0, -1);
  return lines
    .map((line): Audited => JSON.parse(line))
    .filter(({ userAgent = '', stage }) => stage === 'ResponseComplete' && userAgent === 'undici')
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
}

const claims = () => proxy.asked.filter((line) => line === CLAIM).length;

async function claimsMore(count: number): Promise<void> {
  const before = claims();
  const isSo = () => claims() >= before + count;
  await until(isSo, { timeoutMs: WINDOW_TIMEOUT_MS, what: `${count} more claims`, firstMs: 500 });
}

/** Counts by name. */
const counted = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

/** What is asked on both sides while nothing is to be done. */
async function idleWindow() {
  // What ended last is still reported and looked at.
  await claimsMore(1);
  const [controlPlane, cluster, at] = [
    proxy.asked.length,
    (await askedOfCluster()).length,
    performance.now(),
  ];
  await claimsMore(CLAIMS);
  const seen = {
    controlPlane: proxy.asked.slice(controlPlane),
    cluster: (await askedOfCluster()).slice(cluster),
    minutes: (performance.now() - at) / 60_000,
  };
  const status = await readFile(`/proc/${listener.group.pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
  const perMinute = (asked: string[]) => (asked.length / seen.minutes).toFixed(1);
  say(
    `${made.length} deployments at rest: ${perMinute(seen.controlPlane)} requests a minute to the control plane ${JSON.stringify(counted(seen.controlPlane))}, ${perMinute(seen.cluster)} to the API server ${JSON.stringify(counted(seen.cluster))}, ${Math.round(Number(kib) / 1024)} MiB`,
  );
  return seen;
}

/** Which objects there are, and which version of each one's wish, by deployment. */
const objectsNow = async () =>
  (await world.objectsOf(undefined, managedKinds))
    .map(({ kind, metadata }) => ({
      of: metadata?.labels?.[labels.deployment],
      object: `${kind} ${metadata?.uid} ${metadata?.generation}`,
    }))
    .toSorted((one, other) => one.object.localeCompare(other.object));

describe('a listener at rest', () => {
  it('asks as much for two hundred deployments as for twenty', async () => {
    await deployUntil(FEW);
    const few = await idleWindow();
    await deployUntil(MANY);
    const many = await idleWindow();
    expect(few.controlPlane).toContain(CLAIM);
    expect(many.controlPlane.length).toBeLessThanOrEqual(few.controlPlane.length + ENDS_MAX);
    expect(few.cluster).toContain('update leases');
    expect(many.cluster.length).toBeLessThanOrEqual(few.cluster.length + ENDS_MAX);
  });
});

describe('without a control plane', () => {
  it('nothing that runs is touched, also by a listener that starts then, and what drifts is put back', async () => {
    const [changed] = made;
    if (changed === undefined) throw new Error('nothing is deployed');
    const others = async () => (await objectsNow()).filter((each) => each.of !== changed.id);
    const before = await others();
    proxy.goAway();
    const refusedMore = async () => {
      const { refused } = proxy;
      await until(() => proxy.refused >= refused + 3, { timeoutMs: TIMEOUT_MS, what: 'three refusals' });
    };
    await refusedMore();
    const policies = managedKinds.filter(({ kind }) => kind === 'NetworkPolicy');
    const [policy] = await world.objectsOf(changed.id, policies);
    if (policy === undefined) throw new Error('no NetworkPolicy');
    await world.api.remove(policy);
    const isBack = async () => (await world.objectsOf(changed.id, policies)).length === 1;
    await until(isBack, { timeoutMs: TIMEOUT_MS, what: 'the NetworkPolicy to be back' });
    await listener.stop();
    listener = listen();
    await refusedMore();
    expect(listener.group.exit).toBeUndefined();
    expect(await others()).toEqual(before);
    proxy.comeBack();
    await world.deployed(await world.change(changed.id, 'example.test/agent:2'));
    expect(await others()).toEqual(before);
  });
});
