import { expect, it } from 'vitest';
import { sweep } from '../../../lib/app/engine/sweep.ts';
import { remove } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { duePartitions } from '../../../lib/store/engine/due.ts';
import type { Outcome } from '../../../lib/store/engine/outcome-shapes.ts';
import { move } from '../../../lib/store/engine/revision-moves.ts';
import { getRevisionItem, refOf } from '../../../lib/store/engine/revisions.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { putInFlight } from '../../support/world/in-flight.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import { github, post, postRevision, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const DUE = 40;

/** What a sweep costs beside its looks: it reads every partition of the index, and takes and gives back each with something due in it. */
const ASIDE = { reads: 2 * duePartitions.length, writes: 2 * duePartitions.length };

const swept = ({ deps }: World) =>
  unitsOf(deps.table.client, async () => {
    const { looked } = await sweep(deps, { all: false }, (error) => expect.unreachable(String(error)));
    expect(looked).toBeGreaterThan(0);
  });

it('reads a deployment and its revision once, and writes when it looks next', async () => {
  const plane = await aWorld();
  plane.deps.workflow.status = async () => 'running';
  plane.deps.builds.state = async () => ({ state: 'running' });
  await putInFlight(plane, DUE);
  const { reads, writes } = await swept(plane);
  expect(reads).toBeLessThanOrEqual(2 * DUE + ASIDE.reads);
  // The revision, and its place in the index, which is left and taken.
  expect(writes).toBeLessThanOrEqual(3 * DUE + ASIDE.writes);
});

it('reads little of revisions that have ended, once, and writes nothing of their deployment', async () => {
  const plane = await aWorld();
  await register(plane, 'machine');
  const revisions = 5;
  const { id } = await post(plane, github('a'));
  for (let n = 1; n < revisions; n++) await postRevision(plane, id);
  for (let n = 0; n < revisions; n++) await ended(plane, id, 'DEPLOYED');
  plane.advance(3601);
  const { reads, writes } = await swept(plane);
  expect(reads).toBeLessThanOrEqual(2 * revisions + 1 + ASIDE.reads);
  // Its shard, and the count of its events, which nobody has told here.
  expect(writes).toBeLessThanOrEqual(3 * revisions + 2 + 1);
  plane.advance(3601);
  expect(await sweep(plane.deps, { all: false }, () => undefined)).toEqual({ looked: 0, left: 0 });
});

it('fails for nothing that was removed while it looked', async () => {
  const plane = await aWorld();
  await register(plane, 'machine');
  const { id: deploymentId } = await post(plane, github('a'));
  const { id: revisionId } = await ended(plane, deploymentId, 'DEPLOYED');
  plane.advance(3601);
  const at = revisionKeyOf({ tenantId: plane.caller.tenantId, deploymentId, revisionId });
  const publish = plane.deps.events.publish.bind(plane.deps.events);
  let removals = 0;
  plane.deps.events.publish = async (events) => {
    removals += 1;
    await transact(plane.deps.table, [remove('revision', at)]);
    return publish(events);
  };
  const failed: unknown[] = [];
  await sweep(plane.deps, { all: false }, (error) => failed.push(error)).catch(() => undefined);
  expect(failed).toEqual([]);
  expect(removals).toBeGreaterThan(0);
});

it('looks at a revision that it ends no second time, but an hour later', async () => {
  const plane = await aWorld();
  await register(plane, 'machine');
  const { id } = await post(plane, github('a'));
  const revision = await inProgress(plane, id, 'BUILDING');
  plane.deps.workflow.status = async () => 'failed';
  const failed: Outcome = { stage: 'build', result: 'failed', message: 'It broke.' };
  await write(
    plane.deps.table,
    move(revision, 'BUILDING', plane.deps.clock.now(), { set: { outcome: failed } }),
  );
  plane.advance(61);
  await swept(plane);
  const { status, due_at: dueAt = 0 } = await getRevisionItem(plane.deps.table, refOf(revision));
  expect(status).toBe('BUILD_FAILED');
  expect(dueAt).toBeGreaterThan(plane.deps.clock.now());
});
