import { describe, expect, it } from 'vitest';
import { ApiError } from '../../lib/contract/errors.ts';
import type { DeploymentRef } from '../../lib/contract/refs.ts';
import { findDeployment } from '../../lib/core/items/deployments.ts';
import type { DriveDeps } from '../../lib/drive/drive.ts';
import { until } from '../support/until.ts';
import { aDrivenWorld, type DrivenWorld, imageOf, next, serving } from '../support/world/driven-world.ts';
import { interrupt, remove, show, showRevision } from '../support/world/requests.ts';
import { isGone, reaches } from '../support/world/steps.ts';

/** A process that was killed makes no further call. */
class Killed extends Error {}

/** Hears of each call that a driver of one deployment makes to its compute, after it was made. */
type Hook = () => void | Promise<void>;

type Hooked = DrivenWorld & { hooks: Map<string, Hook> };

async function aHookedWorld(): Promise<Hooked> {
  const world = await aDrivenWorld();
  const hooks = new Map<string, Hook>();
  world.compute.called = (_, { deploymentId }) => hooks.get(deploymentId)?.();
  return Object.assign(world, { hooks });
}

/**
 * Runs a driver that dies right after its call number `last`, of its compute or of the table. Gives how many
 * it made.
 */
async function killedAfter(world: Hooked, id: string, last: number): Promise<number> {
  let calls = 0;
  const live = () => {
    if (calls >= last) throw new Killed(`dead after ${last} calls`);
  };
  const count = () => {
    calls += 1;
    live();
  };
  const { client, name } = world.deps.table;
  const send = async (command: never) => {
    live();
    const answer = await client.send(command);
    count();
    return answer;
  };
  const counted = new Proxy(client, {
    get: (target, key) => (key === 'send' ? send : Reflect.get(target, key, target)),
  });
  world.hooks.set(id, count);
  const deps: Partial<DriveDeps> = { table: { client: counted, name } };
  await world.drive(id, deps).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  world.hooks.delete(id);
  return calls;
}

type Offered = { id: string; revisionId: string; place: DeploymentRef };

/** A deployment that serves `one`, with a deploy of `two` that nobody has taken up. */
async function offered(world: Hooked, name: string): Promise<Offered> {
  const id = await serving(world, name);
  world.paused.add(id);
  const revisionId = await next(world, id, 'two');
  const { tenantId } = world.caller;
  await until(async () => (await findDeployment(world.deps.table, tenantId, id))?.task_id !== undefined, {
    what: 'its task to be offered',
  });
  return { id, revisionId, place: { tenantId, deploymentId: id } };
}

/** So many deployments at once: together they are prepared, driven and looked at, for they share a clock. */
const WAVE = 15;
/** Moments of a run that the usual tests try; `npm run test:kills` tries all. */
const USUAL = 8;

/** The first moment, the last, and some between; or all of them. */
function momentsOf(points: number): number[] {
  const tried = process.env.TEST_KILLS === undefined ? Math.min(USUAL, points) : points;
  return Array.from({ length: tried }, (_, index) => 1 + Math.round((index * (points - 1)) / (tried - 1)));
}

/** Does the same with moments of a driver's run, some at once. */
async function atEach(points: number, does: (moments: number[]) => Promise<void>): Promise<void> {
  const moments = momentsOf(points);
  for (let from = 0; from < moments.length; from += WAVE) await does(moments.slice(from, from + WAVE));
}

/** As sweep does: drivers are woken until nothing is left to do. Each time a grace has passed. */
async function settled(world: Hooked, ids: string[]): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) {
    world.advance(185);
    await Promise.all(ids.map((id) => world.drive(id)));
  }
}

function expectOnly(world: Hooked, { id, place }: Offered, tag: string, when: string): void {
  const image = world.compute.serving(place);
  const sets = world.compute.deployments.get(id)?.sets.size;
  expect({ when, image, sets }).toEqual({ when, image: imageOf(tag), sets: 1 });
}

/** How many calls a driver makes that nothing disturbs, of its compute and of the table. */
async function undisturbed(world: Hooked): Promise<{ all: number; compute: number }> {
  const { id, revisionId } = await offered(world, 'undisturbed');
  const before = world.compute.calls.length;
  const all = await killedAfter(world, id, Number.POSITIVE_INFINITY);
  const compute = world.compute.calls.length - before;
  await reaches(world, id, revisionId, 'DEPLOYED');
  return { all, compute };
}

describe('a driver that is killed after any of its calls', () => {
  it('in a deploy is gone on with, and nothing goes unanswered', async () => {
    const world = await aHookedWorld();
    const { all } = await undisturbed(world);
    expect(all).toBeGreaterThan(30);
    const servedAtDeath = new Set<string | undefined>();
    await atEach(all, async (moments) => {
      const cases = moments.map(async (last) => ({
        last,
        ...(await offered(world, `app-${last}`)),
      }));
      const found = await Promise.all(cases);
      await Promise.all(found.map(({ id, last }) => killedAfter(world, id, last)));
      for (const { place } of found) servedAtDeath.add(world.compute.serving(place));
      await Promise.all(found.map(({ id }) => world.drive(id)));
      await Promise.all(found.map(({ id, revisionId }) => reaches(world, id, revisionId, 'DEPLOYED')));
      await settled(
        world,
        found.map(({ id }) => id),
      );
      for (const each of found) {
        expectOnly(world, each, 'two', `killed after ${each.last} calls`);
        expect(await show(world, each.id)).toMatchObject({ status: 'READY' });
      }
    });
    expect(servedAtDeath).toEqual(new Set([imageOf('one'), imageOf('two')]));
    expect(world.compute.gaps).toEqual([]);
  });

  it('in a deletion is gone on with until nothing is left', async () => {
    const world = await aHookedWorld();
    world.compute.isRemoving = true;
    const removing = async (name: string): Promise<string> => {
      const id = await serving(world, name);
      world.paused.add(id);
      const wasWoken = world.woken.length;
      await remove(world, id);
      await until(() => world.woken.slice(wasWoken).includes(id), { what: 'a wake' });
      return id;
    };
    const calls = await killedAfter(world, await removing('whole'), Number.POSITIVE_INFINITY);
    expect(calls).toBeGreaterThan(10);
    await atEach(calls, async (moments) => {
      const cases = moments.map(async (last) => ({ last, id: await removing(`app-${last}`) }));
      const found = await Promise.all(cases);
      await Promise.all(found.map(({ id, last }) => killedAfter(world, id, last)));
      await settled(
        world,
        found.map(({ id }) => id),
      );
      await Promise.all(found.map(({ id }) => isGone(world, id)));
      const left = found.filter(({ id }) => !world.compute.isEmpty({ deploymentId: id }));
      expect(left.map(({ last }) => `killed after ${last} calls`)).toEqual([]);
    });
  });

  it('one call further each time is gone on with too', async () => {
    const world = await aHookedWorld();
    const one = await offered(world, 'app');
    for (let last = 1; (await killedAfter(world, one.id, last)) >= last; last++);
    await reaches(world, one.id, one.revisionId, 'DEPLOYED');
    await settled(world, [one.id]);
    expectOnly(world, one, 'two', 'killed again and again');
    expect(world.compute.gaps).toEqual([]);
  });
});

/** Runs a driver, and has something happen once, right after its compute's call number `at`. */
async function disturbed(
  world: Hooked,
  id: string,
  at: number,
  happens: () => Promise<unknown>,
): Promise<void> {
  let calls = 0;
  world.hooks.set(id, async () => {
    calls += 1;
    if (calls === at) await happens();
  });
  await world.drive(id);
  world.hooks.delete(id);
}

describe('while a driver works', () => {
  it('an interrupt at any of its calls leaves what served, or comes too late', async () => {
    const world = await aHookedWorld();
    const { compute } = await undisturbed(world);
    const ends: string[] = [];
    const ask = ({ id, revisionId }: Offered) =>
      interrupt(world, id, revisionId).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 409)) throw error;
      });
    // Runs share a clock, so one may be over before its work is: sweep would wake the next.
    const endOf = ({ id, revisionId }: Offered) =>
      until(
        async () => {
          const { status } = await showRevision(world, id, revisionId);
          if (['INTERRUPTED', 'DEPLOYED'].includes(status)) return status;
          await world.drive(id);
          return undefined;
        },
        { what: `the end of ${revisionId}` },
      );
    await atEach(compute, async (moments) => {
      const cases = moments.map(async (at) => ({ at, ...(await offered(world, `app-${at}`)) }));
      const found = await Promise.all(cases);
      await Promise.all(found.map((each) => disturbed(world, each.id, each.at, () => ask(each))));
      world.paused.clear();
      const ended = await Promise.all(found.map(endOf));
      await settled(
        world,
        found.map(({ id }) => id),
      );
      for (const [index, each] of found.entries())
        expectOnly(
          world,
          each,
          ended[index] === 'DEPLOYED' ? 'two' : 'one',
          `interrupted at call ${each.at}, ${ended[index]}`,
        );
      ends.push(...ended);
    });
    expect(ends.filter((end) => end === 'INTERRUPTED').length).toBeGreaterThan(1);
    expect(ends.filter((end) => end === 'DEPLOYED').length).toBeGreaterThan(1);
    expect(world.compute.gaps).toEqual([]);
  });

  it('another one that takes over at any of its calls ends it', async () => {
    const world = await aHookedWorld();
    const { compute } = await undisturbed(world);
    await atEach(compute, async (moments) => {
      const cases = moments.map(async (at) => ({ at, ...(await offered(world, `app-${at}`)) }));
      const found = await Promise.all(cases);
      await Promise.all(found.map(({ id, at }) => disturbed(world, id, at, () => world.drive(id))));
      await Promise.all(found.map(({ id, revisionId }) => reaches(world, id, revisionId, 'DEPLOYED')));
      await settled(
        world,
        found.map(({ id }) => id),
      );
      for (const each of found) expectOnly(world, each, 'two', `overtaken at call ${each.at}`);
    });
    expect(world.compute.gaps).toEqual([]);
  });

  it('is ended before its next step by one that has taken the task over', async () => {
    const world = await aHookedWorld();
    const { id } = await offered(world, 'app');
    let left = 0;
    // Right after the look: what it would do next is the other's.
    await disturbed(world, id, 1, async () => {
      await world.drive(id);
      left = world.compute.calls.length;
    });
    expect(world.compute.calls.slice(left)).toEqual([]);
  });

  it('four others at the same moment end in one deploy', async () => {
    const world = await aHookedWorld();
    const one = await offered(world, 'app');
    await Promise.all(Array.from({ length: 5 }, () => world.drive(one.id)));
    await world.drive(one.id);
    await reaches(world, one.id, one.revisionId, 'DEPLOYED');
    await settled(world, [one.id]);
    expectOnly(world, one, 'two', 'driven five times');
    expect(world.compute.gaps).toEqual([]);
  });
});
