import { expect, it } from 'vitest';
import { claimTasks } from '../../../lib/app/listener-protocol/claim.ts';
import { noteSaid, type ReportedVersion } from '../../../lib/app/listener-protocol/said.ts';
import { getListenerItem } from '../../../lib/store/listeners/listeners.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { type Listening, listening } from '../../support/world/listening.ts';
import { changeListener, listeners, removeListener } from '../../support/world/requests.ts';
import { allItems } from '../../support/world/world.ts';

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
  await noteSaid(world.deps, before, { version: '1.0.0', platform: 'linux/arm64' });
  expect(await allItems(world.deps.table)).toEqual(left);
});
