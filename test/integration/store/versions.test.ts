import { expect, it } from 'vitest';
import * as z from 'zod';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { DEPLOYMENT_VERSION, REVISION_VERSION } from '../../../lib/core/items/items.ts';
import { placementsOn } from '../../../lib/core/items/placements.ts';
import { move } from '../../../lib/core/items/revision-moves.ts';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { put, update } from '../../../lib/store/dynamodb/expressions.ts';
import { find, queryAll } from '../../../lib/store/dynamodb/reads.ts';
import { type Item, transact } from '../../../lib/store/dynamodb/transact.ts';
import { alsoEarlier } from '../../../lib/store/dynamodb/upgrade.ts';
import { deploymentKey, revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { placementKey } from '../../../lib/store/keys/placements.ts';
import type { Table } from '../../../lib/store/table.ts';
import { freshTable } from '../../support/table/dynoxide.ts';
import { aRevision, ids } from '../../support/table/stored-items.ts';
import { change, github, post, register, show } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/**
 * A shape of this test alone: the second version calls the `name` of the first a `title`, the third says how
 * long that is.
 */
const book = z.object({ v: z.literal(3), title: z.string(), length: z.int() });
const anyBook = alsoEarlier(book, 3, {
  1: ({ name }) => ({ title: name }),
  2: ({ title }) => ({ title, length: String(title).length }),
});

async function tableWith(...items: Item[]): Promise<Table> {
  const table = await freshTable();
  await transact(
    table,
    items.map((item, index) => put(`item ${index}`, item)),
  );
  return table;
}

const key = { pk: 'P', sk: 'a' };
const refusal = (entity: string, version: number) =>
  `The table holds an item '${entity}' of version ${version}, which this release of Slipway does not read: another release wrote it. Run that release, or begin with a new table.`;

it.each([
  { v: 1, name: 'Emma' },
  { v: 2, title: 'Emma' },
  { v: 3, title: 'Emma', length: 4 },
])('an item of version $v is read as one of the newest', async (item) => {
  const table = await tableWith({ ...key, entity: 'book', ...item });
  const newest = { v: 3, title: 'Emma', length: 4 };
  expect(await find(table, key, anyBook)).toEqual(newest);
  for await (const found of queryAll(table, anyBook, { pk: key.pk })) expect(found).toEqual(newest);
});

it('a revision of the first version is one of the second once it moves', async () => {
  const first = { ...aRevision(), v: 1 };
  const ref = { tenantId: ids.tenant, deploymentId: ids.deployment, revisionId: ids.revision };
  const at = revisionKeyOf(ref);
  const table = await tableWith({ ...at, ...first });
  const read = await getRevisionItem(table, ref);
  expect(read).toEqual(aRevision());
  const server = 'langgraph';
  const artifact = { kind: 'image', uri: 'registry.example/app@sha256:1', server } as const;
  await transact(table, [move(read, 'AWAITING_DEPLOY', 0, { set: { artifact } })]);
  // An earlier release must not drop what it does not know, so it must not take it for its own.
  const { v, artifact: kept } =
    (await find(table, at, z.looseObject({ v: z.int(), artifact: z.unknown() }))) ?? {};
  expect([v, kept]).toEqual([REVISION_VERSION, artifact]);
});

it('a deployment of the first version is one of the newest once it is changed', async () => {
  const world = await aWorld();
  const { table } = world.deps;
  await register(world, 'machine');
  const { id } = await post(world, github('a'));
  const at = deploymentKey(world.caller.tenantId, id);
  await transact(table, [update('deployment', at, { set: { v: 1 } })]);
  expect((await show(world, id)).source_config.drain_seconds).toBeNull();
  await change(world, id, { source_config: { drain_seconds: 600 } });
  const stored = await find(table, at, z.looseObject({ v: z.int(), config: z.looseObject({}) }));
  expect(stored).toMatchObject({ v: DEPLOYMENT_VERSION, config: { drain_seconds: 600 } });
});

it('an item of a later version is refused by its name and version', async () => {
  const table = await tableWith({ ...key, entity: 'book', v: 4, title: 'Emma', length: 4 });
  await expect(find(table, key, anyBook)).rejects.toThrow(refusal('book', 4));
});

it('so are a deployment and a placement that a preview stored', async () => {
  const later = DEPLOYMENT_VERSION + 1;
  const table = await tableWith(
    { ...deploymentKey('t', 'd'), entity: 'deployment', v: later, tenant_id: 't', id: 'd' },
    { ...placementKey('t', 'l', 'd'), entity: 'placement', v: 3, tenant_id: 't', deployment_id: 'd' },
  );
  await expect(findDeployment(table, 't', 'd')).rejects.toThrow(refusal('deployment', later));
  const on = { tenantId: 't', listenerId: 'l' };
  await expect(placementsOn(table, on)).rejects.toThrow(refusal('placement', 3));
});

it('an item of the right version that does not fit says what is wrong', async () => {
  const table = await tableWith({ ...key, entity: 'book', v: 3, title: 'Emma' });
  await expect(find(table, key, anyBook)).rejects.toThrow(/length/);
});
