import { expect, it } from 'vitest';
import { claimTasks } from '../../../lib/app/listener-protocol/claim.ts';
import { noteVersion } from '../../../lib/app/listener-protocol/said-version.ts';
import { getListenerItem } from '../../../lib/store/listeners/listeners.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { type Listening, listening } from '../../support/world/listening.ts';
import { changeListener, listeners, removeListener } from '../../support/world/requests.ts';
import { allItems } from '../../support/world/world.ts';

const claimWith = ({ plane, listenerId }: Listening, version?: string | null) =>
  claimTasks(
    plane.deps,
    {
      params: { listener_id: listenerId },
      body: {
        instance_id: 'one',
        max: 1,
        holding: [],
        wait_seconds: 0,
        ...(version !== undefined && { version }),
      },
    },
    plane.caller,
  );

const shown = async ({ plane }: Listening) => (await listeners(plane)).resources[0];

it('shows the version that a listener says at a claim, and writes it only when it is another', async () => {
  const self = await listening();
  const { client } = self.plane.deps.table;
  const registered = await shown(self);
  expect(registered?.version).toBeNull();
  await claimWith(self, '1.0.0');
  expect(await shown(self)).toMatchObject({ version: '1.0.0', updated_at: registered?.updated_at });
  for (const nothingNew of ['1.0.0', '', null, undefined])
    expect(await unitsOf(client, () => claimWith(self, nothingNew))).toMatchObject({ writes: 0 });
  expect((await shown(self))?.version).toBe('1.0.0');
  expect(await unitsOf(client, () => claimWith(self, '1.1.0'))).toMatchObject({ writes: 4 });
  expect((await shown(self))?.version).toBe('1.1.0');
});

it('keeps it through other changes of the listener, and instead of what was registered by hand', async () => {
  const self = await listening();
  await claimWith(self, '1.0.0');
  const changed = await changeListener(self.plane, self.listenerId, { is_default: true });
  expect([changed.version, (await shown(self))?.version]).toEqual(['1.0.0', '1.0.0']);
  expect(await changeListener(self.plane, self.listenerId, { version: 'mine' })).toMatchObject({
    version: 'mine',
  });
  await claimWith(self, '1.0.0');
  expect(await shown(self)).toMatchObject({ version: '1.0.0', is_default: true });
});

it('does not bring back a listener that was deleted meanwhile', async () => {
  const self = await listening();
  const { plane, listenerId } = self;
  const before = await getListenerItem(plane.deps.table, plane.caller.tenantId, listenerId);
  await removeListener(plane, listenerId);
  const left = await allItems(plane.deps.table);
  await noteVersion(plane.deps, before, '1.0.0');
  expect(await allItems(plane.deps.table)).toEqual(left);
});
