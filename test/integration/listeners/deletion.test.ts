import { describe, expect, it } from 'vitest';
import { findListener } from '../../../lib/core/items/listeners.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import {
  changeListener,
  github,
  listeners,
  post,
  refusedWith,
  register,
  remove,
  removeListener,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const on = (listener_id: string, name = 'a') =>
  github(name, { source_config: { repo_url: 'https://example.com/a.git', listener_id } });

const claim = ({ deps, caller }: World, listenerId: string) =>
  claimTasks(
    deps,
    { params: { listener_id: listenerId }, body: { instance_id: 'i', max: 1, holding: [], wait_seconds: 0 } },
    caller,
  );

/** A refusal's text or `made`. */
const outcomeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'made',
    (error: unknown) => (error as Error).message, // refusals are errors
  );

/** As one request more after it has died at its call number `at`; false when it has fewer. */
async function diesAt(world: World, at: number, request: (world: World) => Promise<unknown>) {
  const dying = interruptedAt(world.deps, at, () => Promise.reject(new Error('died')));
  const outcome = await outcomeOf(request({ ...world, deps: dying.deps }));
  return dying.calls() > at && outcome === 'died';
}

const closingText = (computeId: string): string =>
  `Listener ${computeId} is being deleted and takes no new deployments; choose another listener, or repeat the deletion if it was interrupted.`;

describe('the deletion of a listener', () => {
  it('takes all that was stored of it but who did it, and its compute id and default mark can be given again', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine', { is_default: true });
    await claim(world, id);
    await removeListener(world, id);
    const { userId: user_id, keyId: key_id } = world.caller;
    const audited = { entity: 'audit_event', action: 'listener.delete', subject_id: id, user_id, key_id };
    const left = (await allItems(world.deps.table)).toSorted((a, b) =>
      String(a.entity) < String(b.entity) ? -1 : 1,
    );
    expect(left).toMatchObject([audited, { entity: 'resource_count', count: 0 }]);
    expect((await listeners(world)).resources).toEqual([]);
    const next = await register(world, 'machine', { is_default: true });
    expect(next.id).not.toBe(id);
    expect(await refusedWith(removeListener(world, id))).toBe(`404 Listener ID ${id} not found.`);
  });

  it('leaves its key with nothing to ask for', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine');
    await removeListener(world, id);
    expect(await refusedWith(claim(world, id))).toBe(`404 Listener ID ${id} not found.`);
  });

  it('is refused to another tenant', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine');
    expect(await refusedWith(removeListener(world.as(), id))).toBe(`404 Listener ID ${id} not found.`);
    expect((await listeners(world)).resources).toHaveLength(1);
  });

  it('is refused while deployments use it, those included that are being deleted', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine');
    const other = await register(world, 'other');
    await post(world, on(other.id, 'elsewhere'));
    const made = [await post(world, on(id, 'one')), await post(world, on(id, 'two'))];
    const [one = '', two = ''] = made.map((shown) => shown.id);
    expect(await refusedWith(removeListener(world, id))).toBe(
      `409 Listener machine is used by 2 deployments, 'one' (${one}) among them; delete them first.`,
    );
    await remove(world, one);
    expect(await refusedWith(removeListener(world, id))).toBe(
      `409 Listener machine is used by 2 deployments (1 of them being deleted), 'two' (${two}) among them; delete them first.`,
    );
    await post(world, on(id, 'three'));
  });
});

/** What may come at any moment of a deletion, and what must hold then. */
async function createdAt(at: number): Promise<'before' | 'after' | 'over'> {
  const world = await aWorld();
  const { id } = await register(world, 'machine');
  let created = 'not tried';
  const { deps, calls } = interruptedAt(world.deps, at, async () => {
    created = await outcomeOf(post(world, on(id)));
  });
  const deleted = await outcomeOf(removeListener({ ...world, deps }, id));
  if (calls() <= at) return 'over';
  const left = await findListener(world.deps.table, world.caller.tenantId, id);
  if (created === 'made') {
    expect(deleted).toContain('is used by 1 deployment');
    expect(left).toMatchObject({ id });
    expect(left?.closing).toBeUndefined();
    return 'before';
  }
  expect([closingText('machine'), `Listener ID ${id} not found.`]).toContain(created);
  expect([deleted, left]).toEqual(['made', undefined]);
  return 'after';
}

describe('a create and the deletion of its listener', () => {
  it('never both succeed, at whatever moment of the deletion the create comes', async () => {
    const seen: string[] = [];
    for (let at = 0; seen.at(-1) !== 'over'; at++) seen.push(await createdAt(at));
    expect(seen.length).toBeGreaterThan(6);
    expect(new Set(seen)).toEqual(new Set(['before', 'after', 'over']));
  });

  it('never both succeed, at whatever moment of the create the deletion comes', async () => {
    const seen: string[] = [];
    for (let at = 0; seen.at(-1) !== 'over'; at++) {
      const world = await aWorld();
      const { id } = await register(world, 'machine');
      let deleted = 'not tried';
      const { deps, calls } = interruptedAt(world.deps, at, async () => {
        deleted = await outcomeOf(removeListener(world, id));
      });
      const created = await outcomeOf(post({ ...world, deps }, on(id)));
      expect([created, deleted].filter((outcome) => outcome === 'made')).toHaveLength(1);
      seen.push(calls() <= at ? 'over' : created);
    }
    expect(seen.length).toBeGreaterThan(2);
  });

  it('never both succeed when many come at once', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine');
    const creates = Array.from({ length: 4 }, (_, n) => outcomeOf(post(world, on(id, `d-${n}`))));
    const deletes = Array.from({ length: 2 }, () => outcomeOf(removeListener(world, id)));
    const [made, deleted] = [await Promise.all(creates), await Promise.all(deletes)];
    const left = await findListener(world.deps.table, world.caller.tenantId, id);
    expect(left === undefined).toBe(deleted.includes('made'));
    expect(made.includes('made')).toBe(left !== undefined);
    expect(left?.closing).toBeUndefined();
  });
});

describe('a deletion that was cut off', () => {
  it('goes on when it is asked for again, at whatever moment it was; until then nothing new comes in', async () => {
    let closed = 0;
    for (let at = 0, died = true; died; at++) {
      const world = await aWorld();
      const { id } = await register(world, 'machine', { is_default: true });
      const spare = await register(world, 'spare');
      died = await diesAt(world, at, (dying) => removeListener(dying, id));
      const left = await findListener(world.deps.table, world.caller.tenantId, id);
      if (left?.closing !== undefined) {
        closed += 1;
        expect(await refusedWith(post(world, on(id)))).toBe(`409 ${closingText('machine')}`);
        // Who names none gets another one.
        expect((await post(world, github('b'))).source_config.listener_id).toBe(spare.id);
      }
      if (left !== undefined) await removeListener(world, id);
      expect((await listeners(world)).resources.map((shown) => shown.id)).toEqual([spare.id]);
    }
    expect(closed).toBeGreaterThan(2);
  });

  it('is called off by a change of the listener', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine');
    for (
      let at = 0;
      (await findListener(world.deps.table, world.caller.tenantId, id))?.closing === undefined;
      at++
    )
      await diesAt(world, at, (dying) => removeListener(dying, id));
    await changeListener(world, id, { version: '2' });
    expect((await post(world, on(id))).source_config.listener_id).toBe(id);
  });
});
