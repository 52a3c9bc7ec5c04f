import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { create as createEvents } from '../../../functions/streams/events.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { cancelTask } from '../../../lib/core/engine/tasks.ts';
import { isListenerOnline } from '../../../lib/core/online.ts';
import { RING_TEXT } from '../../../lib/features/listener-protocol/sockets.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { until } from '../../support/until.ts';
import { aDoorbellWorld, type DoorbellWorld } from '../../support/world/doorbell-world.ts';
import { makeKey, revoke } from '../../support/world/identity-requests.ts';
import { heartbeat } from '../../support/world/listening.ts';
import { changeListener, github, listeners, post, register } from '../../support/world/requests.ts';
import { buildStarted } from '../../support/world/steps.ts';

/** Waits until something has woken the function that rings, and lets it ring. */
async function rings(world: DoorbellWorld, what: string): Promise<string[]> {
  await until(() => world.wakes.length > 0, { what: `a ring for ${what}` });
  await world.ring();
  return world.rung();
}

/** Has a deployment built and offered to the listener, and rings for it. */
async function offeredTo(world: DoorbellWorld, name: string, secrets: object[] = []) {
  const { id, latest_revision_id: revisionId } = await post(world, github(name, { secrets }));
  await buildStarted(world, revisionId);
  await world.deps.builds.succeed(revisionId);
  return { id, said: await rings(world, `the offer of ${name}`) };
}

const opened = async (world: DoorbellWorld, instanceId = 'one'): Promise<string> =>
  String(await world.connect({ instanceId }));

const status = async (world: DoorbellWorld) => (await listeners(world)).resources[0]?.status;

describe('a socket', () => {
  it('is opened with the key that opens the routes of its listener, and no other', async () => {
    const world = await aDoorbellWorld();
    const other = await register(world, 'another');
    const otherKey = await makeKey(world.admin, { name: 'o', role: 'listener', listener_id: other.id });
    const admin = await makeKey(world.admin, { name: 'a', role: 'admin' });
    expect(await world.connect({ apiKey: '' })).toBe(401);
    expect(await world.connect({ apiKey: `${world.key.key}x` })).toBe(401);
    expect(await world.connect({ apiKey: otherKey.key })).toBe(403);
    expect(await world.connect({ listenerId: other.id })).toBe(403);
    expect(await world.connect({ apiKey: admin.key })).toBe(403);
    expect(await world.connect({ listenerId: 'none' })).toBe(404);
    expect(await world.connect({ instanceId: 'x'.repeat(129) })).toBe(404);
    expect(await world.connect()).toEqual(expect.any(String));
    await revoke(world.admin, world.key.id);
    expect(await world.connect()).toBe(401);
  });

  it('takes the place of the one before of the same run, which is closed, and there are ten at most', async () => {
    const world = await aDoorbellWorld();
    const before = await opened(world);
    const one = await opened(world);
    expect([...world.open]).toEqual([one]);
    expect(world.open.has(before)).toBe(false);
    for (let at = 2; at <= 10; at += 1) await opened(world, `run ${at}`);
    expect(await world.connect({ instanceId: 'run 11' })).toBe(409);
    const again = await opened(world);
    await world.disconnect(again);
    expect(await world.connect({ instanceId: 'run 11' })).toEqual(expect.any(String));
  });

  it('is found behind those that are long over', async () => {
    const world = await aDoorbellWorld();
    for (let at = 0; at < 10; at += 1) await world.disconnect(await opened(world, `a run ${at}`), false);
    world.advance(2 * 3600 + 601);
    const socket = await opened(world, 'the last run');
    const { said } = await offeredTo(world, 'a');
    expect(said).toEqual([`${socket} ${RING_TEXT}`]);
  });

  it('is no sign of life, and what is told of one that nobody knows is nothing', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    expect(await status(world)).toBe('NEVER_SEEN');
    await world.disconnect(randomUUID());
  });
});

describe('a claim', () => {
  it('is told where to open a socket, and asked for again within seconds until it says that it has', async () => {
    const world = await aDoorbellWorld();
    const url = 'wss://bell.example/live?one';
    expect(await world.claim()).toMatchObject({ poll_after_seconds: 5, doorbell: { url, rings: false } });
    // What it says alone is not believed.
    const early = await world.claim({ doorbell: true });
    expect(early).toMatchObject({ poll_after_seconds: 5, doorbell: { rings: false } });
    const first = await opened(world);
    expect(await world.claim()).toMatchObject({ poll_after_seconds: 5, doorbell: { rings: false } });
    const rung = { poll_after_seconds: 300, doorbell: { url, rings: true } };
    expect(await world.claim({ doorbell: true })).toMatchObject(rung);
    expect(await world.claim({ doorbell: true, instance_id: 'two' })).toMatchObject({
      poll_after_seconds: 5,
      doorbell: { rings: false },
    });
    await world.disconnect(first);
    expect(await world.claim({ doorbell: true })).toMatchObject({ poll_after_seconds: 5 });
    delete world.deps.doorbell;
    expect(await world.claim({ doorbell: true })).not.toHaveProperty('doorbell');
  });

  it('is made again at once after work, also by who is rung', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    await offeredTo(world, 'a');
    const { tasks, poll_after_seconds } = await world.claim({ doorbell: true });
    expect([tasks.length, poll_after_seconds]).toEqual([1, 1]);
    const holding = tasks.map(({ task_id }) => task_id);
    expect(await world.claim({ doorbell: true, holding })).toMatchObject({ poll_after_seconds: 300 });
    expect(await world.claim({ holding })).toMatchObject({ poll_after_seconds: 1 });
  });

  it('is made again within seconds where a task could not be handed over for now', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    await offeredTo(world, 'a', [{ name: 'TOKEN', value: 'hidden' }]);
    const { openDataKey } = world.deps.keys;
    world.deps.keys.openDataKey = async () => {
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    };
    expect(await world.claim({ doorbell: true })).toMatchObject({ tasks: [], poll_after_seconds: 5 });
    world.deps.keys.openDataKey = openDataKey;
    expect((await world.claim({ doorbell: true })).tasks).toHaveLength(1);
  });

  it('of an idle listener that is rung costs little', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    await world.claim({ doorbell: true });
    world.advance(300);
    const claim = () => world.claim({ doorbell: true });
    expect(await unitsOf(world.deps.table.client, claim)).toEqual({ reads: 4, writes: 1 });
  });
});

describe('a listener', () => {
  it('is rung when a task is offered or cancelled, and when something else that it should run changes', async () => {
    const world = await aDoorbellWorld();
    const socket = await opened(world);
    await world.claim({ doorbell: true });
    const once = [`${socket} ${RING_TEXT}`];
    const { id: deploymentId, said } = await offeredTo(world, 'a');
    expect(said).toEqual(once);
    const [task] = (await world.claim({ doorbell: true })).tasks;
    if (task === undefined) throw new Error('no task');
    await heartbeat(world, task);
    const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId });
    if (loaded === undefined) throw new Error('no deployment');
    await cancelTask(world.deps, loaded);
    expect(await rings(world, 'a cancellation')).toEqual(once);
    await changeListener(world, world.listenerId, { compute_config: { k8s_namespaces: ['x'] } });
    expect(await rings(world, 'a change')).toEqual(once);
    // Nothing that it does itself rings for it.
    const seen = world.records().filter(({ dynamodb }) => dynamodb?.NewImage?.ring?.S !== undefined);
    expect(seen.map(({ dynamodb }) => dynamodb?.NewImage?.ring?.S)).toEqual([
      'offered',
      'cancelled',
      'changed',
    ]);
  });

  it('holds up nothing else that comes of a change when it cannot be rung', async () => {
    const world = await aDoorbellWorld();
    await offeredTo(world, 'a');
    const wake = vi.fn(async () => Promise.reject(new Error('no such function')));
    const consume = createEvents(() => ({ ...world.deps, doorbellWaker: { wake } }));
    expect(await consume({ Records: world.records() })).toEqual({ batchItemFailures: [] });
    expect(wake).toHaveBeenCalled();
  });

  it('hears nothing over its socket but that it is rung', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    const { said } = await offeredTo(world, 'a', [{ name: 'TOKEN', value: 'hidden' }]);
    expect(said[0]?.split(' ').slice(1).join(' ')).toBe('{"type":"ring"}');
  });

  it('is rung at all its runs, and at the newest socket of each', async () => {
    const world = await aDoorbellWorld();
    const before = await opened(world);
    const [one, two] = [await opened(world), await opened(world, 'two')];
    // That an earlier one closes says nothing of the one in its place.
    await world.disconnect(before);
    const { said } = await offeredTo(world, 'a');
    expect(new Set(said.map((line) => line.split(' ')[0]))).toEqual(new Set([one, two]));
    expect(await world.claim({ doorbell: true, max: 1 })).toMatchObject({ doorbell: { rings: true } });
  });

  it('is not rung any more where its socket is gone, but for one that is just being opened', async () => {
    const world = await aDoorbellWorld();
    await world.disconnect(await opened(world), false);
    await offeredTo(world, 'a');
    expect(await world.claim({ doorbell: true, max: 1 })).toMatchObject({ doorbell: { rings: true } });
    world.advance(61);
    await offeredTo(world, 'b');
    expect(await world.claim({ doorbell: true, max: 1 })).toMatchObject({ doorbell: { rings: false } });
  });

  it('loses its socket with its key', async () => {
    const world = await aDoorbellWorld();
    const socket = await opened(world);
    const { key: apiKey } = await makeKey(world.admin, {
      name: 'b',
      role: 'listener',
      listener_id: world.listenerId,
    });
    const kept = await world.connect({ apiKey, instanceId: 'two' });
    await revoke(world.admin, world.key.id);
    const said = await rings(world, 'a revoked key');
    expect([said, [...world.open]]).toEqual([[`${String(kept)} ${RING_TEXT}`], [kept]]);
    expect(world.open.has(socket)).toBe(false);
    expect(await world.claim({ doorbell: true })).toMatchObject({ doorbell: { rings: false } });
  });
});

describe('a listener that is rung', () => {
  const minutes = async (world: DoorbellWorld, count: number) => {
    for (let minute = 0; minute < count; minute++) await world.sweepFor(61);
  };

  it('is online until the claim that it was told to make, and ninety seconds more', async () => {
    const world = await aDoorbellWorld();
    await opened(world);
    await world.claim({ doorbell: true });
    world.advance(389);
    expect(await status(world)).toBe('ONLINE');
    expect(await isListenerOnline(world.deps, world.caller.tenantId, world.listenerId)).toBe(true);
    // A report between two claims promises no more.
    world.advance(-189);
    await reportStatus(
      world.deps,
      { params: { listener_id: world.listenerId }, body: { reports: [] } },
      world.caller,
    );
    world.advance(191);
    expect(await status(world)).toBe('OFFLINE');
  });

  it('is told offline some ninety seconds after its last socket has closed without a claim', async () => {
    const world = await aDoorbellWorld();
    const socket = await opened(world);
    await world.claim({ doorbell: true });
    await minutes(world, 3);
    await world.disconnect(socket);
    expect(await status(world)).toBe('ONLINE');
    await minutes(world, 1);
    expect(await status(world)).toBe('ONLINE');
    await minutes(world, 1);
    expect(await status(world)).toBe('OFFLINE');
  });

  it('stays online when it claims or is back before that, and when only an older socket closes', async () => {
    const world = await aDoorbellWorld();
    const before = await opened(world);
    await world.claim({ doorbell: true });
    await minutes(world, 3);
    const after = await opened(world);
    await world.disconnect(before);
    await minutes(world, 2);
    expect(await status(world)).toBe('ONLINE');
    await world.disconnect(after);
    await world.claim();
    await minutes(world, 1);
    expect(await status(world)).toBe('ONLINE');
    await opened(world);
    await world.claim({ doorbell: true });
    await minutes(world, 5);
    expect(await status(world)).toBe('ONLINE');
  });
});
