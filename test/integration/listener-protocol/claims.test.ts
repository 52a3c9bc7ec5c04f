import { describe, expect, it } from 'vitest';
import { markUnknown } from '../../../lib/core/engine/deploys.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { cancelTask } from '../../../lib/core/engine/tasks.ts';
import { getListenerItem } from '../../../lib/core/items/listeners.ts';
import {
  claimTasks,
  noteVersion,
  type ReportedVersion,
} from '../../../lib/features/listener-protocol/claim.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { changeListener, listeners, removeListener } from '../../support/world/requests.ts';
import { allItems } from '../../support/world/world.ts';

describe('a claim that names what its instance holds', () => {
  it('leaves that under its lease, counts it, and spends nothing on it', async () => {
    const world = await listening();
    const { listenerId } = world;
    const made = [await offered(world, 'a'), await offered(world, 'b'), await offered(world, 'c')];
    const given = (await claim(world, 2)).tasks;
    const held = given.map((task) => task.task_id);
    const naming = async () =>
      expect(await claim(world, 2, 'one', held)).toEqual({
        tasks: [],
        cancelled: [],
        poll_after_seconds: 1,
        desired_changes: 0,
      });
    expect(await unitsOf(world.deps.table.client, naming)).toEqual({ reads: 3, writes: 0 });
    for (const { task_id, lease_id } of given) {
      const params = { listener_id: listenerId, task_id };
      const beat = heartbeatTask(world.deps, { params, body: { lease_id } }, world.caller);
      expect(await beat).toEqual({ stop: false });
    }
    const third = (await claim(world, 3, 'one', held)).tasks;
    expect(third.map((task) => task.deployment_id)).toEqual([made[2]?.id]);
  });

  it('is given the others that its instance holds, under new leases', async () => {
    const world = await listening();
    for (const name of ['a', 'b']) await offered(world, name);
    const [first, second] = (await claim(world)).tasks;
    const [again, ...rest] = (await claim(world, 10, 'one', [first?.task_id ?? ''])).tasks;
    expect([again?.task_id, rest]).toEqual([second?.task_id, []]);
    expect(again?.lease_id).not.toBe(second?.lease_id);
    // What naming it saves.
    const { client } = world.deps.table;
    expect(await unitsOf(client, () => claim(world, 1))).toEqual({ reads: 6, writes: 4 });
  });

  it('gets nothing of another instance by that', async () => {
    const world = await listening();
    await offered(world, 'a');
    const held = (await claim(world)).tasks.map((task) => task.task_id);
    expect(await claim(world, 10, 'two', held)).toEqual({
      tasks: [],
      cancelled: [],
      poll_after_seconds: 5,
      desired_changes: 0,
    });
    await offered(world, 'b');
    // What is not its own does not count either.
    expect((await claim(world, 1, 'two', held)).tasks).toHaveLength(1);
  });

  it('is given one that was offered anew meanwhile, and told of one that was cancelled', async () => {
    const world = await listening();
    const { id: deploymentId } = await offered(world, 'a');
    const [task] = (await claim(world)).tasks;
    const held = [task?.task_id ?? ''];
    const now = async () => {
      const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId });
      if (loaded === undefined) throw new Error('no deployment');
      return loaded;
    };
    await markUnknown(world.deps, await now());
    const [anew] = (await claim(world, 10, 'one', held)).tasks;
    expect(anew?.task_id).toBe(task?.task_id);
    expect(anew?.lease_id).not.toBe(task?.lease_id);
    await cancelTask(world.deps, await now());
    expect(await claim(world, 10, 'one', held)).toMatchObject({ tasks: [], cancelled: held });
  });
});

describe('claims', () => {
  it('bring ten tasks at most, and what is left beside those in hand', async () => {
    const world = await listening();
    for (let n = 1; n <= 14; n++) await offered(world, `agent-${n}`);
    const hands: string[] = [];
    const take = async (max: number) => {
      const { tasks } = await claim(world, max, 'one', hands);
      hands.push(...tasks.map(({ task_id }) => task_id));
      return tasks.length;
    };
    expect(await take(100)).toBe(10);
    expect(await take(12)).toBe(2);
    expect(await take(12)).toBe(0);
    expect(await take(100)).toBe(2);
    expect(new Set(hands).size).toBe(14);
  });

  it('are asked for less often after an hour without work, and soon again after work', async () => {
    const world = await listening();
    const pace = async () => (await claim(world)).poll_after_seconds;
    expect(await pace()).toBe(5);
    world.advance(3_500);
    expect(await pace()).toBe(5);
    world.advance(101);
    expect(await pace()).toBe(15);
    await offered(world, 'a');
    expect([await pace(), await pace()]).toEqual([1, 1]);
    // Its own lease gives a task back at each claim: as long as it has one, there is work.
    expect((await claim(world, 10, 'two')).poll_after_seconds).toBe(5);
  });
});

const claimWith = (world: Listening, said: ReportedVersion = {}) =>
  claimTasks(
    world.deps,
    {
      params: { listener_id: world.listenerId },
      body: {
        instance_id: 'one',
        max: 1,
        holding: [],
        wait_seconds: 0,
        ...said,
      },
    },
    world.caller,
  );

const shown = async (world: Listening) => (await listeners(world)).resources[0];

it('shows the version that a listener says at a claim, and writes it only when it is another', async () => {
  const world = await listening();
  const { client } = world.deps.table;
  const registered = await shown(world);
  expect(registered?.version).toBeNull();
  await claimWith(world, { version: '1.0.0' });
  expect(await shown(world)).toMatchObject({ version: '1.0.0', updated_at: registered?.updated_at });
  for (const version of ['1.0.0', '', undefined])
    expect(await unitsOf(client, () => claimWith(world, { version }))).toMatchObject({ writes: 0 });
  expect((await shown(world))?.version).toBe('1.0.0');
  expect(await unitsOf(client, () => claimWith(world, { version: '1.1.0' }))).toMatchObject({ writes: 4 });
  expect((await shown(world))?.version).toBe('1.1.0');
});

it('shows the platform that a listener says, in the same write, and keeps it where none is said', async () => {
  const world = await listening();
  const { client } = world.deps.table;
  await claimWith(world);
  expect((await shown(world))?.platform).toBeNull();
  const said = { version: '1.0.0', platform: 'linux/arm64' };
  expect(await unitsOf(client, () => claimWith(world, said))).toMatchObject({ writes: 4 });
  expect(await shown(world)).toMatchObject(said);
  for (const platform of ['linux/arm64', undefined])
    expect(await unitsOf(client, () => claimWith(world, { platform }))).toMatchObject({ writes: 0 });
  await changeListener(world, world.listenerId, { version: '2' });
  expect(await shown(world)).toMatchObject({ version: '2', platform: 'linux/arm64' });
  await claimWith(world, { platform: 'linux/amd64' });
  expect(await shown(world)).toMatchObject({ platform: 'linux/amd64' });
});

it('keeps it through other changes of the listener, and instead of what was registered by hand', async () => {
  const world = await listening();
  await claimWith(world, { version: '1.0.0' });
  const changed = await changeListener(world, world.listenerId, { is_default: true });
  expect([changed.version, (await shown(world))?.version]).toEqual(['1.0.0', '1.0.0']);
  expect(await changeListener(world, world.listenerId, { version: 'mine' })).toMatchObject({
    version: 'mine',
  });
  await claimWith(world, { version: '1.0.0' });
  expect(await shown(world)).toMatchObject({ version: '1.0.0', is_default: true });
});

it('does not bring back a listener that was deleted meanwhile', async () => {
  const world = await listening();
  const { listenerId } = world;
  const before = await getListenerItem(world.deps.table, world.caller.tenantId, listenerId);
  await removeListener(world, listenerId);
  const left = await allItems(world.deps.table);
  await noteVersion(world.deps, before, { version: '1.0.0', platform: 'linux/arm64' });
  expect(await allItems(world.deps.table)).toEqual(left);
});
