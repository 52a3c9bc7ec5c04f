import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sweep } from '../../../lib/core/engine/sweep.ts';
import { duePartitions } from '../../../lib/core/items/due-work.ts';
import type { Outcome } from '../../../lib/core/items/parts.ts';
import { move } from '../../../lib/core/items/revision-moves.ts';
import { getRevisionItem, refOf } from '../../../lib/core/items/revisions.ts';
import { remove } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { putInFlight } from '../../support/world/in-flight.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { github, post, postRevision, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const DEPLOYMENTS = 40;

it('looks first at what is overdue longest', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const ids: string[] = [];
  for (let n = 0; n < DEPLOYMENTS; n++) {
    ids.push((await post(world, github(`d${n}`))).id);
    world.advance(1);
  }
  world.advance(120);
  const looked: string[] = [];
  const started = (name: string): void => {
    const id = ids.find((each) => name.includes(each));
    if (id !== undefined) looked.push(id);
  };
  const workflow = {
    ...world.deps.workflow,
    start: (name: string, input: { deploymentId: string }) => {
      started(input.deploymentId);
      return world.deps.workflow.start(name, { ...input, tenantId: '', revisionId: '', attempt: 1 });
    },
  };

  await sweep({ ...world.deps, workflow }, { all: false }, () => undefined).catch(() => undefined);

  expect(looked.slice(0, 5).every((id) => ids.indexOf(id) < 15)).toBe(true);
});

it('comes to all others though more looks hang than it makes at a time', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  let last: string | undefined;
  let hangs = false;
  let hasLooked = false;
  const workflow = {
    ...world.deps.workflow,
    status: (name: string) => {
      hasLooked ||= last !== undefined && name.startsWith(last);
      if (hangs && !hasLooked) return new Promise<never>(() => undefined);
      return Promise.resolve('running' as const);
    },
  };
  // A look that hangs takes longer than the time in which a sweep begins others.
  const clock = {
    ...world.deps.clock,
    wait: async (milliseconds: number) => {
      await setTimeout(200);
      if (hangs) world.advance(milliseconds / 1000);
    },
  };
  const sweeps = async () => {
    world.advance(61);
    await sweep({ ...world.deps, clock, workflow }, { all: false }, () => undefined).catch(() => undefined);
  };
  for (let n = 0; n < 12; n++) await post(world, github(`d${n}`));
  await sweeps();
  last = (await post(world, github('last'))).latest_revision_id;
  hangs = true;

  for (let n = 0; n < 5; n++) await sweeps();

  expect(hasLooked).toBe(true);
});

const DUE = 40;

/**
 * What a sweep costs beside its looks: it reads every partition of the index, and takes and gives back each
 * with something due in it.
 */
const ASIDE = { reads: 2 * duePartitions.length, writes: 2 * duePartitions.length };

const swept = ({ deps }: World) =>
  unitsOf(deps.table.client, async () => {
    const { looked } = await sweep(deps, { all: false }, (error) => expect.unreachable(String(error)));
    expect(looked).toBeGreaterThan(0);
  });

it('reads a deployment and its revision once, and writes when it looks next', async () => {
  const world = await aWorld();
  world.deps.workflow.status = async () => 'running';
  world.deps.builds.state = async () => ({ state: 'running' });
  await putInFlight(world, DUE);
  const { reads, writes } = await swept(world);
  expect(reads).toBeLessThanOrEqual(2 * DUE + ASIDE.reads);
  // The revision, and its place in the index, which is left and taken.
  expect(writes).toBeLessThanOrEqual(3 * DUE + ASIDE.writes);
});

it('reads little of revisions that have ended, once, and writes nothing of their deployment', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const revisions = 5;
  const { id } = await post(world, github('a'));
  for (let n = 1; n < revisions; n++) await postRevision(world, id);
  for (let n = 0; n < revisions; n++) await ended(world, id, 'DEPLOYED');
  world.advance(3601);
  const { reads, writes } = await swept(world);
  expect(reads).toBeLessThanOrEqual(2 * revisions + 1 + ASIDE.reads);
  // Its shard, and its events, which nobody has told here: each in the feed, with both counts.
  const told = world.deps.events.published().length;
  expect(told).toBeGreaterThan(revisions);
  expect(writes).toBeLessThanOrEqual(3 * revisions + 2 + 2 * told + 4 * revisions);
  world.advance(3601);
  expect(await sweep(world.deps, { all: false }, () => undefined)).toEqual({ looked: 0, left: 0 });
});

it('fails for nothing that was removed while it looked', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const { id: deploymentId } = await post(world, github('a'));
  const { id: revisionId } = await ended(world, deploymentId, 'DEPLOYED');
  world.advance(3601);
  const at = revisionKeyOf({ tenantId: world.caller.tenantId, deploymentId, revisionId });
  const publish = world.deps.events.publish.bind(world.deps.events);
  let removals = 0;
  world.deps.events.publish = async (events) => {
    removals += 1;
    await transact(world.deps.table, [remove('revision', at)]);
    return publish(events);
  };
  const failed: unknown[] = [];
  await sweep(world.deps, { all: false }, (error) => failed.push(error)).catch(() => undefined);
  expect(failed).toEqual([]);
  expect(removals).toBeGreaterThan(0);
});

it('looks at a revision that it ends no second time, but an hour later', async () => {
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('a'));
  const revision = await inProgress(world, id, 'BUILDING');
  world.deps.workflow.status = async () => 'failed';
  const failed: Outcome = { stage: 'build', result: 'failed', message: 'It broke.' };
  await write(
    world.deps.table,
    move(revision, 'BUILDING', world.deps.clock.now(), { set: { outcome: failed } }),
  );
  world.advance(61);
  await swept(world);
  const { status, due_at: dueAt = 0 } = await getRevisionItem(world.deps.table, refOf(revision));
  expect(status).toBe('BUILD_FAILED');
  expect(dueAt).toBeGreaterThan(world.deps.clock.now());
});
