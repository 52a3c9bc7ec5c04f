import { describe, expect, it } from 'vitest';
import { THREAD_ROWS_MAX } from '../../../lib/contract/deployments/threads.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { unitsOf } from '../../support/table/consumed.ts';
import { desiredRows, settle } from '../../support/world/deleting.ts';
import { letGo, replaced, tell, waitingIn } from '../../support/world/durable.ts';
import { claim, complete, type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github, list, post, postRevision, refusedWith, remove, show } from '../../support/world/requests.ts';

const someId = (index: number): string => `ffffffff-ffff-7fff-8fff-${String(index).padStart(12, '0')}`;

const rowOf = async (world: Listening, id: string) =>
  (await desiredRows(world)).find(({ deployment_id }) => deployment_id === id);

const released = async (world: Listening, id: string) => (await rowOf(world, id))?.release_threads;

async function deployLog({ deps, caller }: Listening, deploymentId: string, revisionId: string) {
  const stream = { tenantId: caller.tenantId, deploymentId, revisionId, type: 'deploy' } as const;
  const { entries } = await deps.logs.query(stream, { order: 'asc', limit: 100 });
  return entries.map(({ message }) => message);
}

describe('the threads of a deployment', () => {
  it('are not known before they are reported, then shown by revision, those with most waiting first', async () => {
    const world = await listening();
    const of = await replaced(world);
    await tell(world, of, {});
    expect((await show(world, of.id)).threads).toBeNull();
    await tell(world, of, { threads: [waitingIn(of.serving, 0, 2), waitingIn(of.old, 3)] });
    expect((await show(world, of.id)).threads).toEqual({
      reported_at: expect.stringMatching(/Z$/),
      revisions: [waitingIn(of.old, 3), waitingIn(of.serving, 0, 2)],
    });
    // A report without them says nothing of them.
    await tell(world, of, {});
    expect((await show(world, of.id)).threads?.revisions).toHaveLength(2);
    await tell(world, of, { threads: [] });
    expect((await show(world, of.id)).threads).toMatchObject({ revisions: [] });
    expect((await list(world)).resources[0]?.threads).toBeNull();
  });

  it('are not taken of an earlier deploy, nor of a deployment that is being deleted', async () => {
    const world = await listening();
    const of = await replaced(world);
    await tell(world, of, { threads: [waitingIn(of.old, 3)] }, 4);
    expect((await show(world, of.id)).threads).toBeNull();
    await remove(world, of.id);
    await tell(world, of, { threads: [waitingIn(of.old, 3)] });
    expect((await show(world, of.id)).threads).toBeNull();
  });

  it('cost one read more with each report, and a write only where they are others', async () => {
    const world = await listening();
    const of = await replaced(world);
    const { client } = world.deps.table;
    const threads = [waitingIn(of.old, 3), waitingIn(of.serving, 0, 1)];
    await tell(world, of, { threads });
    const without = await unitsOf(client, () => tell(world, of, {}));
    const again = await unitsOf(client, () => tell(world, of, { threads: threads.toReversed() }));
    expect(again).toEqual({ reads: without.reads + 1, writes: 0 });
    const changed = () => tell(world, of, { threads: [waitingIn(of.old, 4)] });
    expect((await unitsOf(client, changed)).writes).toBeGreaterThan(0);
    expect((await unitsOf(client, changed)).writes).toBe(0);
  });

  it('are known by many reports in one request only as long as no other has changed them', async () => {
    const world = await listening();
    const of = await replaced(world);
    const others = Array.from({ length: 5 }, (_, index) => ({ ...of, id: someId(index) }));
    const all = async (waiting: number) => {
      const reports = [of, ...others].map(({ id, serving }) => ({
        deployment_id: id,
        revision_id: serving,
        epoch: 5,
        healthy: true,
        threads: [waitingIn(of.old, waiting)],
      }));
      return reportStatus(
        world.deps,
        { params: { listener_id: world.listenerId }, body: { reports } },
        world.caller,
      );
    };
    const waiting = async () => (await show(world, of.id)).threads?.revisions[0]?.waiting;
    for (let times = 0; times < 3; times++) await all(1);
    await tell(world, of, { threads: [waitingIn(of.old, 2)] });
    expect(await waiting()).toBe(2);
    await all(1);
    expect(await waiting()).toBe(1);
  });
});

describe('threads that are let go', () => {
  it('are told to their listener until none waits, and the log of their revision says by whom', async () => {
    const world = await listening();
    const of = await replaced(world);
    await tell(world, of, { threads: [waitingIn(of.old, 3)] });
    const changes = (await claim(world)).desired_changes ?? 0;
    expect(await released(world, of.id)).toBeUndefined();
    const asked = await letGo(world, of.id, of.old);
    expect(asked).toMatchObject({ deployment_id: of.id, revision_id: of.old, waiting: 3 });
    expect(await letGo(world, of.id, of.old)).toEqual(asked);
    expect(await released(world, of.id)).toEqual([of.old]);
    expect((await claim(world)).desired_changes).toBe(changes + 1);
    await tell(world, of, { threads: [waitingIn(of.old, 1)] });
    await tell(world, of, {});
    expect(await released(world, of.id)).toEqual([of.old]);
    // Whoever is not among as many as may be named is not known.
    const many = Array.from({ length: THREAD_ROWS_MAX }, (_, index) => waitingIn(someId(index), 1));
    await tell(world, of, { threads: many });
    expect(await released(world, of.id)).toEqual([of.old]);
    await tell(world, of, { threads: [waitingIn(of.serving, 0, 1)] });
    expect(await released(world, of.id)).toBeUndefined();
    expect(await deployLog(world, of.id, of.old)).toEqual([
      `User ${world.caller.userId} has let the threads go that wait in this revision (3 when last reported): they go on with the revision that serves.`,
    ]);
  });

  it('stay let go over a release', async () => {
    const world = await listening();
    const of = await replaced(world);
    await letGo(world, of.id, of.old);
    await postRevision(world, of.id);
    await ended(world, of.id, 'DEPLOYED', { outcome: { epoch: 6 } });
    expect(await released(world, of.id)).toEqual([of.old]);
  });

  it('are refused where there are none, or nobody would do it', async () => {
    const world = await listening();
    const of = await replaced(world);
    const unknown = someId(1);
    expect(await refusedWith(letGo(world, of.id, unknown))).toBe(`404 Revision ID ${unknown} not found.`);
    expect(await refusedWith(letGo(world, of.id, of.serving))).toMatch(/^409 .* is the one that serves/);
    const { id } = await post(world, github('b'));
    const { id: dev } = await ended(world, id, 'DEPLOYED');
    expect(await refusedWith(letGo(world, id, dev))).toMatch(/^409 .*nothing of it has run/);
    const older = await listening();
    const there = await replaced(older, '0.1.0');
    expect(await refusedWith(letGo(older, there.id, there.old))).toMatch(
      /^409 .*since version 0\.2\.0; listener machine has version 0\.1\.0\. Update it\.$/,
    );
    await remove(world, of.id);
    expect(await refusedWith(letGo(world, of.id, of.old))).toMatch(/^409 .*is being deleted/);
  });
});

describe('a deletion with its data', () => {
  const task = async (world: Listening) => (await claim(world)).tasks[0];

  /** A deployment that its listener runs. */
  async function running(world: Listening): Promise<string> {
    const { id } = await offered(world, 'a');
    await complete(world, await task(world), 'succeeded');
    await settle(world, id);
    return id;
  }

  it('says so in the task, also where it is asked for later; without it a dump may stay', async () => {
    for (const queries of [[{}], [{ delete_data: 'true' }], [{}, { delete_data: 'true' }]]) {
      const world = await listening();
      const id = await running(world);
      for (const query of queries) await remove(world, id, query);
      await settle(world, id);
      const isAtOnce = queries.some((query) => 'delete_data' in query);
      expect(await task(world)).toMatchObject({ kind: 'DELETE', delete_data: isAtOnce });
    }
  });

  it('is too late once the listener has begun without', async () => {
    const world = await listening();
    const id = await running(world);
    await remove(world, id);
    await settle(world, id);
    const removal = await task(world);
    const later = () => remove(world, id, { delete_data: 'true' });
    expect(await refusedWith(later())).toMatch(/^409 .*a dump of its database may stay there for 7 days\.$/);
    await complete(world, removal, 'failed');
    await later();
    world.advance(61);
    await settle(world, id);
    expect(await task(world)).toMatchObject({ kind: 'DELETE', delete_data: true });
  });

  it('is in the row of what a listener has yet to remove', async () => {
    const world = await listening();
    const id = await running(world);
    await remove(world, id, { delete_data: 'true' });
    await remove(world, id, { force: 'true' });
    await settle(world, id);
    expect(await rowOf(world, id)).toMatchObject({ revision_id: null, delete_data: true });
  });
});
