import { describe, expect, it } from 'vitest';
import type { DriveDeps } from '../../lib/app/compute/drive.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { findDeployment } from '../../lib/store/engine/deployments.ts';
import { until } from '../support/until.ts';
import { aDrivenWorld, type DrivenWorld, imageOf, next, serving } from '../support/world/driven-world.ts';
import { interrupt, remove, show, showRevision } from '../support/world/requests.ts';
import { isGone, reaches } from '../support/world/steps.ts';

/** A process that was killed makes no further call. */
class Killed extends Error {}

/** Dependencies of a driver that dies right after its call number `last`, of its compute or of the table. */
function mortal(world: DrivenWorld, last: number): { deps: Partial<DriveDeps>; calls: () => number } {
  let calls = 0;
  const live = () => {
    if (calls >= last) throw new Killed(`dead after ${last} calls`);
  };
  const count = () => {
    calls += 1;
    live();
  };
  world.compute.called = count;
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
  return { deps: { table: { client: counted, name } }, calls: () => calls };
}

/** Runs a driver that dies after `last` calls; false: it ended before. */
async function killedAfter(world: DrivenWorld, id: string, last: number): Promise<boolean> {
  const { deps } = mortal(world, last);
  const died = await world.drive(id, deps).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Killed) return true;
      throw error;
    },
  );
  world.compute.called = () => undefined;
  return died;
}

/** A deployment that serves `one`, with a deploy of `two` that nobody has taken up. */
async function offered(world: DrivenWorld, name: string) {
  world.drives = true;
  const id = await serving(world, name);
  world.drives = false;
  const revisionId = await next(world, id, 'two');
  await reaches(world, id, revisionId, 'AWAITING_DEPLOY');
  const { tenantId } = world.caller;
  await until(async () => (await findDeployment(world.deps.table, tenantId, id))?.task_id !== undefined, {
    timeoutMs: 30_000,
    what: 'its task to be offered',
  });
  return { id, revisionId, place: { tenantId, deploymentId: id } };
}

/** As sweep does: drivers are woken until nothing is left to do. */
async function settled(world: DrivenWorld, id: string): Promise<void> {
  for (let minute = 0; minute < 6; minute++) {
    world.advance(61);
    await world.drive(id);
  }
}

const setsOf = (world: DrivenWorld, id: string) => world.compute.deployments.get(id)?.sets.size;

describe('a driver that is killed after any of its calls', () => {
  it('in a deploy is gone on with, and nothing goes unanswered', async () => {
    const world = await aDrivenWorld();
    let last = 1;
    for (let died = true; died; last++) {
      const { id, revisionId, place } = await offered(world, `app-${last}`);
      died = await killedAfter(world, id, last);
      expect(world.compute.answers(place)).toBe(true);
      world.drives = true;
      await world.drive(id);
      await reaches(world, id, revisionId, 'DEPLOYED');
      await settled(world, id);
      expect(world.compute.serving(place), `killed after ${last} calls`).toBe(imageOf('two'));
      expect(setsOf(world, id), `killed after ${last} calls`).toBe(1);
      expect(await show(world, id)).toMatchObject({ status: 'READY' });
    }
    expect(last).toBeGreaterThan(30);
    expect(world.compute.gaps).toEqual([]);
  }, 300_000);

  it('in a deletion is gone on with until nothing is left', async () => {
    const world = await aDrivenWorld();
    let last = 1;
    for (let died = true; died; last++) {
      world.drives = true;
      const id = await serving(world, `app-${last}`);
      world.drives = false;
      world.compute.isRemoving = true;
      const wasWoken = world.woken.length;
      await remove(world, id);
      await until(() => world.woken.length > wasWoken, { timeoutMs: 30_000, what: 'its driver to be woken' });
      died = await killedAfter(world, id, last);
      world.drives = true;
      world.advance(61);
      await world.drive(id);
      await isGone(world, id);
      expect(world.compute.isEmpty({ deploymentId: id }), `killed after ${last} calls`).toBe(true);
    }
    expect(last).toBeGreaterThan(10);
  }, 300_000);

  it('at every call from the first on never brings up what cannot be taken back', async () => {
    const world = await aDrivenWorld();
    const { id, revisionId, place } = await offered(world, 'app');
    // Each run gets one call further than the one before.
    for (let last = 1, died = true; died; last++) died = await killedAfter(world, id, last);
    world.drives = true;
    await reaches(world, id, revisionId, 'DEPLOYED');
    await settled(world, id);
    expect(world.compute.serving(place)).toBe(imageOf('two'));
    expect(setsOf(world, id)).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  }, 120_000);
});

/** Does something once, in the middle of a driver's run: right after its compute's call number `at`. */
function duringCall(world: DrivenWorld, at: number, happens: () => Promise<void>): () => boolean {
  let calls = 0;
  world.compute.called = async () => {
    calls += 1;
    if (calls === at) await happens();
  };
  return () => calls >= at;
}

describe('while a driver works', () => {
  it('an interrupt at any of its calls leaves what served, or comes too late', async () => {
    const world = await aDrivenWorld();
    const ends = new Map<string, number>();
    let at = 1;
    for (let happened = true; happened; at++) {
      const { id, revisionId, place } = await offered(world, `app-${at}`);
      const asked = duringCall(world, at, async () => {
        await interrupt(world, id, revisionId).catch((error: unknown) => {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
        });
      });
      await world.drive(id);
      happened = asked();
      world.compute.called = () => undefined;
      world.drives = true;
      const ended = await until(
        async () => {
          const { status } = await showRevision(world, id, revisionId);
          return (status === 'INTERRUPTED' || status === 'DEPLOYED') && status;
        },
        { timeoutMs: 30_000, what: `the end of ${revisionId}` },
      );
      await settled(world, id);
      const image = ended === 'DEPLOYED' ? 'two' : 'one';
      expect(world.compute.serving(place), `interrupted at call ${at}`).toBe(imageOf(image));
      expect(setsOf(world, id), `interrupted at call ${at}`).toBe(1);
      ends.set(ended, (ends.get(ended) ?? 0) + 1);
    }
    expect(ends.get('INTERRUPTED')).toBeGreaterThan(5);
    expect(ends.get('DEPLOYED')).toBeGreaterThan(2);
    expect(world.compute.gaps).toEqual([]);
  }, 300_000);

  it('another one that takes over at any of its calls ends it', async () => {
    const world = await aDrivenWorld();
    let at = 1;
    for (let happened = true; happened; at++) {
      const { id, revisionId, place } = await offered(world, `app-${at}`);
      let left = 0;
      const took = duringCall(world, at, async () => {
        await world.drive(id);
        left = world.compute.calls.length;
      });
      await world.drive(id);
      happened = took();
      // It had looked, and made one call at most before it asked whether it may go on.
      if (happened) expect(world.compute.calls.length - left).toBeLessThanOrEqual(PARTS_OF_ONE_STEP);
      world.compute.called = () => undefined;
      world.drives = true;
      await reaches(world, id, revisionId, 'DEPLOYED');
      await settled(world, id);
      expect(world.compute.serving(place), `overtaken at call ${at}`).toBe(imageOf('two'));
      expect(setsOf(world, id), `overtaken at call ${at}`).toBe(1);
    }
    expect(world.compute.gaps).toEqual([]);
  }, 300_000);

  it('four others at the same moment end in one deploy', async () => {
    const world = await aDrivenWorld();
    const { id, revisionId, place } = await offered(world, 'app');
    await Promise.all(Array.from({ length: 5 }, () => world.drive(id)));
    world.drives = true;
    await world.drive(id);
    await reaches(world, id, revisionId, 'DEPLOYED');
    await settled(world, id);
    expect(world.compute.serving(place)).toBe(imageOf('two'));
    expect(setsOf(world, id)).toBe(1);
    expect(world.compute.gaps).toEqual([]);
  });
});

/** A step that was begun is ended: to make a set takes six calls. */
const PARTS_OF_ONE_STEP = 7;
