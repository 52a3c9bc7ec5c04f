import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../lib/core/engine/dispatch.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { getSpec } from '../../../lib/features/listener-protocol/spec.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { watchConsumed } from '../../support/table/consumed.ts';
import { isWrite } from '../../support/table/writes.ts';
import { desiredRows, leftOf, reported, settle } from '../../support/world/deleting.ts';
import { claim, complete, type Listening, listening, offered } from '../../support/world/listening.ts';
import { inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
  list,
  post,
  refusedWith,
  register,
  remove,
  show,
} from '../../support/world/requests.ts';

const gone = (id: string) => `404 Deployment ID ${id} not found.`;

/** A deployment that its listener runs, with a deletion asked for and offered. */
async function deletionOffered(world: Listening, name = 'a') {
  const { id } = await offered(world, name);
  await complete(world, (await claim(world)).tasks[0], 'succeeded');
  await settle(world, id);
  await remove(world, id);
  await settle(world, id);
  return id;
}

const claimedTask = async (world: Listening, instance = 'one') => (await claim(world, 10, instance)).tasks[0];

describe('the deletion of what no listener was ever asked to run', () => {
  it('leaves nothing, and nobody else out', async () => {
    const world = await listening();
    const uploads = { source: 'internal_source', source_config: {}, source_revision_config: {} };
    const agent = { agent_id: 'x', environment: 'y' };
    const secrets = [{ name: 'TOKEN', value: 'a-secret' }];
    const custom = { source_config: { custom_url: 'https://agent.example.com' } };
    const { id } = await post(world, { name: 'a', agent, secrets, ...uploads, ...custom });
    const other = await post(world, { name: 'b', secrets, ...uploads });
    for (const one of [id, other.id]) {
      const path = await world.upload(one);
      await change(world, one, { source_revision_config: { source_tarball_path: path } });
      await world.upload(one, 'nobody named this one');
    }
    const stream = { tenantId: world.caller.tenantId, deploymentId: id, type: 'build' } as const;
    const line = { timestamp: 1, level: 'INFO', message: 'x' } as const;
    await world.deps.logs.append({ ...stream, revisionId: other.latest_revision_id }, [line]);
    const before = (await leftOf(world, other.id)).length;

    await remove(world, id);
    await settle(world, id);
    expect(await refusedWith(show(world, id))).toBe(gone(id));
    expect(await leftOf(world, id)).toEqual([]);
    expect((await world.deps.logs.query(stream, { order: 'asc', limit: 9 })).entries).toEqual([]);
    expect(await world.filesOf(id)).toEqual([]);

    expect((await leftOf(world, other.id)).length).toBe(before);
    expect(await world.filesOf(other.id)).toHaveLength(3);
    const again = await post(world, { name: 'a', agent, ...uploads, ...custom });
    expect(again.id).not.toBe(id);
    expect((await list(world)).resources.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('takes as many calls as it needs, between which others are looked at', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const { pk } = deploymentKey(world.caller.tenantId, id);
    for (let page = 0; page < 10; page++) {
      const some = Array.from({ length: 100 }, (_, n) => ({
        pk,
        sk: `U#${page * 100 + n}`,
        entity: 'x',
        v: 1,
      }));
      await transact(
        world.deps.table,
        some.map((item) => put('x', item)),
      );
    }
    await remove(world, id);
    const other = await post(world, github('b'));
    const records = [id, other.id].map((each, index) => {
      const key = deploymentKey(world.caller.tenantId, each);
      return { sequenceNumber: `${index}`, ...key };
    });
    let calls = 0;
    let writes = 0;
    const stop = watchConsumed(world.deps.table.client, (_, { name }) => {
      if (isWrite(name)) writes += 1;
    });
    for (; (await leftOf(world, id)).length > 0; calls++) {
      expect(calls).toBeLessThan(20);
      writes = 0;
      expect(await dispatch(world.deps, records, (error) => expect.unreachable(String(error)))).toEqual([]);
      // Others are looked at in each call, and none is much longer than theirs.
      expect(writes).toBeLessThan(10);
      const owner = { tenantId: world.caller.tenantId, deploymentId: other.id };
      expect((await load(world.deps, owner))?.deployment.slot).toBeDefined();
    }
    stop();
    expect(calls).toBeGreaterThan(4);
  });

  it('interrupts a build first', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    await inProgress(world, id, 'BUILDING');
    await remove(world, id);
    // No execution runs here: it ends as one that is gone.
    await settle(world, id);
    expect(await leftOf(world, id)).toEqual([]);
  });
});

describe('the deletion of what a listener runs', () => {
  it('asks the listener under a newer epoch than all before, and ends with its word', async () => {
    const world = await listening();
    const { listenerId } = world;
    const id = await deletionOffered(world);
    const [row] = await desiredRows(world);
    expect(row).toMatchObject({ deployment_id: id, revision_id: null, held: true });
    const params = { listener_id: listenerId, deployment_id: id };
    expect(await refusedWith(getSpec(world.deps, { params }, world.caller))).toBe(gone(id));
    const task = await claimedTask(world);
    expect(task).toEqual({
      kind: 'DELETE',
      delete_data: false,
      task_id: expect.any(String),
      lease_id: expect.any(String),
      lease_seconds: 60,
      deployment_id: id,
      revision_id: null,
      epoch: row?.epoch,
    });
    expect(task?.epoch).toBeGreaterThan(2);
    const of = { listener_id: listenerId, task_id: task?.task_id ?? '' };
    const beat = (phase?: 'switching') =>
      heartbeatTask(
        world.deps,
        { params: of, body: { lease_id: task?.lease_id ?? '', phase } },
        world.caller,
      );
    expect([await beat(), await beat('switching')]).toEqual([{ stop: false }, { stop: false }]);
    expect((await show(world, id)).status).toBe('AWAITING_DELETE');
    expect(await complete(world, task, 'succeeded')).toEqual({ accepted: true });
    await settle(world, id);
    expect(await refusedWith(show(world, id))).toBe(gone(id));
    expect(await leftOf(world, id)).toEqual([]);
    expect(await desiredRows(world)).toEqual([]);
    expect(await complete(world, task, 'succeeded')).toEqual({ accepted: true });
    await post(world, github('a'));
  });

  it('waits for a cancelled deploy to be acknowledged, or for its lease', async () => {
    const world = await listening();
    for (const acknowledged of [true, false]) {
      const { id } = await offered(world, `a-${acknowledged}`);
      const deploy = await claimedTask(world);
      await remove(world, id);
      await settle(world, id);
      expect(await claim(world)).toMatchObject({ tasks: [], cancelled: [deploy?.task_id] });
      if (acknowledged) await complete(world, deploy, 'stopped');
      else world.advance(61);
      await settle(world, id);
      const task = await claimedTask(world);
      expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
      expect(task?.epoch).toBeGreaterThan(deploy?.epoch ?? 0);
      await complete(world, task, 'succeeded');
      await settle(world, id);
      expect(await leftOf(world, id)).toEqual([]);
    }
  });

  it('is offered again to whoever asks when its lease has run out', async () => {
    const world = await listening();
    const id = await deletionOffered(world);
    const lost = await claimedTask(world, 'one');
    expect(await claimedTask(world, 'two')).toBeUndefined();
    world.advance(61);
    await settle(world, id);
    const taken = await claimedTask(world, 'two');
    expect(taken).toMatchObject({ kind: 'DELETE', task_id: lost?.task_id });
    expect(taken?.epoch).toBeGreaterThan(lost?.epoch ?? 0);
    expect(await refusedWith(complete(world, lost, 'succeeded'))).toMatch(/^409 /);
    await complete(world, taken, 'succeeded');
    await settle(world, id);
    expect(await leftOf(world, id)).toEqual([]);
  });

  it('is asked for again a minute after the listener could not do it', async () => {
    const world = await listening();
    const id = await deletionOffered(world);
    const failed = await claimedTask(world);
    expect(await complete(world, failed, 'failed')).toEqual({ accepted: true });
    await settle(world, id);
    expect(await desiredRows(world)).toMatchObject([{ deployment_id: id, revision_id: null, held: false }]);
    expect(await claimedTask(world)).toBeUndefined();
    world.advance(61);
    await settle(world, id);
    expect(await claimedTask(world)).toMatchObject({ kind: 'DELETE', deployment_id: id });
  });

  it('waits for a listener that is away, looked at now and then', async () => {
    const world = await listening();
    const id = await deletionOffered(world);
    const dueIn = async () => {
      const [item] = (await leftOf(world, id)).filter(({ entity }) => entity === 'deployment');
      return Math.round((Number(item?.due_at) - world.deps.clock.now()) / 60_000);
    };
    expect(await dueIn()).toBe(15);
    await claimedTask(world);
    expect(await dueIn()).toBe(1);
    expect((await show(world, id)).status).toBe('AWAITING_DELETE');
  });
});

describe('a deletion that is forced', () => {
  it('removes the records, and the listener is told to run nothing until it says that it does not', async () => {
    const world = await listening();
    const id = await deletionOffered(world);
    const task = await claimedTask(world);
    await remove(world, id, { force: 'true' });
    await settle(world, id);
    expect(await refusedWith(show(world, id))).toBe(gone(id));
    expect((await leftOf(world, id)).map(({ entity }) => entity)).toEqual(['placement']);
    await post(world, github('a'));
    const [row] = await desiredRows(world);
    expect(row).toMatchObject({ deployment_id: id, revision_id: null, held: false });
    const epoch = row?.epoch ?? 0;
    expect(epoch).toBeGreaterThan(task?.epoch ?? 0);
    expect(await complete(world, task, 'succeeded')).toEqual({ accepted: false });

    const none = { deployment_id: id, revision_id: null };
    const other = { ...world, listenerId: (await register(world, 'other')).id };
    expect(await reported(other, { ...none, epoch })).toEqual({ accepted: 0 });
    expect(await reported(world, { ...none, epoch: epoch - 1 })).toEqual({ accepted: 0 });
    expect(await reported(world, { ...none, revision_id: world.deps.clock.randomId(), epoch })).toEqual({
      accepted: 0,
    });
    expect(await desiredRows(world)).toHaveLength(1);
    expect(await reported(world, { ...none, epoch })).toEqual({ accepted: 1 });
    expect(await desiredRows(world)).toEqual([]);
    expect(await reported(world, { ...none, epoch })).toEqual({ accepted: 0 });
    expect(await refusedWith(remove(world, id, { force: 'true' }))).toBe(gone(id));
  });

  it('does not wait for a cancelled deploy either', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a');
    await claim(world);
    await remove(world, id);
    await settle(world, id);
    await remove(world, id, { force: 'true' });
    await settle(world, id);
    expect((await leftOf(world, id)).map(({ entity }) => entity)).toEqual(['placement']);
  });

  it('leaves no row behind when the listener had said its word, or was never asked', async () => {
    const world = await listening();
    const id = await deletionOffered(world);
    await complete(world, await claimedTask(world), 'succeeded');
    const unused = await post(world, github('unused'));
    await remove(world, unused.id);
    for (const one of [id, unused.id]) {
      await remove(world, one, { force: 'true' });
      await settle(world, one);
      expect(await leftOf(world, one)).toEqual([]);
    }
  });
});
