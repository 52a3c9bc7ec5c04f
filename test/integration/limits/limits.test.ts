import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { injectFaults } from '../../../lib/embedded/faults.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { deleteIntegration } from '../../../lib/features/integrations/delete.ts';
import { createIntegration as integrationRow } from '../../../lib/features/integrations/routes.ts';
import { createWebhook } from '../../../lib/features/webhooks/create.ts';
import { createWebhook as webhookRow } from '../../../lib/features/webhooks/routes.ts';
import { countAll, findResourceCount, type StoredCount } from '../../../lib/store/counts.ts';
import { put, remove as removeItem } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { resourceCountKey } from '../../../lib/store/keys/counts.ts';
import { settle } from '../../support/world/deleting.ts';
import { makeKey, revoke } from '../../support/world/identity-requests.ts';
import {
  github,
  post,
  refusedWith,
  register,
  remove,
  removeListener,
  show,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Kind = {
  make(world: World, name: string): Promise<{ id: string }>;
  forget(world: World, id: string): Promise<unknown>;
};

const kinds: Record<StoredCount, Kind> = {
  deployments: {
    make: (world, name) => post(world, github(name)),
    forget: async (world, id) => {
      await remove(world, id);
      await settle(world, id);
    },
  },
  listeners: { make: (world, name) => register(world, name), forget: removeListener },
  integrations: {
    make: (world, name) =>
      createIntegration(
        world.deps,
        { body: integrationRow.body.parse({ type: 'github', token: 'a-token', name }) },
        world.caller,
      ),
    forget: (world, id) => deleteIntegration(world.deps, { params: { integration_id: id } }, world.caller),
  },
  keys: { make: (world, name) => makeKey(world, { name, role: 'viewer' }), forget: revoke },
};
const names = Object.keys(kinds) as StoredCount[]; // the keys of the object above

/** A world whose tenant may have `limit` of this kind, and has none of it. */
async function aLimitedWorld(kind: StoredCount, limit: number): Promise<World> {
  const world = (await aWorld()).as({ role: 'organization_admin' });
  if (kind === 'deployments') await register(world, 'machine');
  world.deps.settings.limits[kind] = limit;
  return world;
}

const ownerOf = ({ caller: { tenantId } }: World) => ({ tenantId });
const counted = async (world: World, kind: StoredCount) =>
  (await findResourceCount(world.deps.table, ownerOf(world), kind))?.count;
const there = (world: World, kind: StoredCount) => countAll(world.deps.table, ownerOf(world), kind);

/** As it is of a tenant from before there were counts. */
const forgetCount = (world: World, kind: StoredCount) =>
  transact(world.deps.table, [removeItem('count', resourceCountKey(ownerOf(world), kind))]);

describe.each(names)('the limit of %s', (kind) => {
  const { make, forget } = kinds[kind];

  it('refuses one more, naming limit, count and the way out, until one is gone', async () => {
    const world = await aLimitedWorld(kind, 2);
    const first = await make(world, 'a');
    await make(world, 'b');
    const words = new RegExp(
      `^409 There are 2 ${kind} already, and the limit is 2: (?:delete|revoke) one .*raise '${kind}Max'\\.$`,
    );
    expect(await refusedWith(make(world, 'c'))).toMatch(words);
    // Another tenant has its own.
    const other = world.as();
    if (kind === 'deployments') await register(other, 'machine');
    await make(other.as({ role: 'organization_admin' }), 'a');
    await forget(world, first.id);
    await make(world, 'c');
    expect(await refusedWith(make(world, 'd'))).toMatch(words);
    expect([await counted(world, kind), await there(world, kind)]).toEqual([2, 2]);
  });

  it('is not passed by many at once', async () => {
    const world = await aLimitedWorld(kind, 4);
    const asked = Array.from({ length: 9 }, (_, n) => make(world, `many-${n}`));
    const made = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(4);
    expect([await counted(world, kind), await there(world, kind)]).toEqual([4, 4]);
  });

  it('counts what was there before there were counts, and takes nothing away above it', async () => {
    const world = await aLimitedWorld(kind, 9);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await make(world, name)).id);
    await forgetCount(world, kind);
    await forget(world, ids.pop() ?? '');
    // Many at once, all of which find no count, and one that goes meanwhile.
    await Promise.all([...['e', 'f', 'g'].map((name) => make(world, name)), forget(world, ids.pop() ?? '')]);
    expect([await counted(world, kind), await there(world, kind)]).toEqual([5, 5]);
    await forgetCount(world, kind);
    world.deps.settings.limits[kind] = 2;
    expect(await refusedWith(make(world, 'h'))).toMatch(`There are 5 ${kind} already, and the limit is 2`);
    expect(await there(world, kind)).toBe(5);
  });
});

it('fifty at the same moment, where nothing was counted before, are made in few tries', async () => {
  const world = await aLimitedWorld('deployments', 500);
  let transactions = 0;
  world.deps.table.client.middlewareStack.add(
    (next) => async (args) => {
      if ('TransactItems' in args.input) transactions += 1;
      return next(args);
    },
    { step: 'initialize', name: 'counting' },
  );
  await Promise.all(Array.from({ length: 50 }, (_, n) => kinds.deployments.make(world, `many-${n}`)));
  expect(await countAll(world.deps.table, world.caller, 'deployments')).toBe(50);
  expect(transactions).toBeLessThan(50 * 5);
});

it('a count that is too high is put right before anybody is refused', async () => {
  const world = await aLimitedWorld('integrations', 3);
  const made = [];
  for (const name of ['a', 'b', 'c']) made.push(await kinds.integrations.make(world, name));
  // A release that knows of no counts has removed it.
  const count = await findResourceCount(world.deps.table, ownerOf(world), 'integrations');
  await kinds.integrations.forget(world, made[0]?.id ?? '');
  const key = resourceCountKey(ownerOf(world), 'integrations');
  await transact(world.deps.table, [put('count', { ...key, ...count })]);
  await kinds.integrations.make(world, 'd');
  expect([await counted(world, 'integrations'), await there(world, 'integrations')]).toEqual([3, 3]);
});

it('a deployment counts until it is gone, and its deletion by force gives it back once', async () => {
  const world = await aLimitedWorld('deployments', 1);
  const { id } = await post(world, github('a'));
  await remove(world, id);
  expect(await refusedWith(post(world, github('b')))).toMatch('those that are being deleted count');
  await remove(world, id, { force: 'true' });
  await Promise.all([settle(world, id), settle(world, id)]);
  await settle(world, id);
  expect(await refusedWith(show(world, id))).toMatch(/^404/);
  expect(await counted(world, 'deployments')).toBe(0);
  await post(world, github('b'));
});

it('the same request sent again is no other deployment, at the limit too', async () => {
  const world = await aLimitedWorld('deployments', 1);
  const { id } = await post(world, github('a'));
  expect((await post(world, github('a'))).id).toBe(id);
  expect(await refusedWith(post(world, github('a', { secrets: [{ name: 'A', value: 'b' }] })))).toMatch(
    "409 Deployment with name 'a' already exists.",
  );
  expect(await counted(world, 'deployments')).toBe(1);
});

it('webhooks have one too', async () => {
  const world = await aWorld();
  world.deps.settings.limits.webhooks = 1;
  const body = () => webhookRow.body.parse({ url: 'https://hooks.example/a' });
  const make = () => createWebhook(world.deps, { body: body() }, world.caller);
  await make();
  expect(await refusedWith(make())).toMatch('There are 1 webhooks already, and the limit is 1: delete one');
});

/** What may happen: something is made, perhaps in vain, forgotten, or what was counted is lost. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ make: fc.nat(5), again: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ forget: fc.nat(8), again: fc.boolean() }) },
);

it.each(names)(
  'whatever happens to %s, they are counted as they are',
  async (kind) => {
    const { make, forget } = kinds[kind];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(),
        async (rounds, limit, seed) => {
          const world = await aLimitedWorld(kind, limit);
          injectFaults(world.deps.table.client, { transactionConflict: 0.3, seed }, () => undefined);
          const made: string[] = [];
          for (const round of rounds) {
            const acts = round.map(async (act) => {
              if ('make' in act) {
                const { id } = await make(world, `name-${act.make}`);
                made.push(id);
                if (act.again) await make(world, `name-${act.make}`);
              } else {
                const id = made[act.forget % Math.max(made.length, 1)];
                if (id === undefined) return;
                await forget(world, id);
                if (act.again) await forget(world, id);
              }
            });
            await Promise.allSettled(acts);
            expect([kind, (await counted(world, kind)) ?? 0]).toEqual([kind, await there(world, kind)]);
            expect(await there(world, kind)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 12 },
    );
  },
  60_000,
);
