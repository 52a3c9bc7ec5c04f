import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../lib/app/engine/dispatch.ts';
import { load } from '../../../lib/app/engine/situation.ts';
import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { getSpec } from '../../../lib/app/listener-protocol/spec.ts';
import { put } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { watchConsumed } from '../../support/table/consumed.ts';
import { isWrite } from '../../support/table/writes.ts';
import { completed, desiredRows, leftOf, reported, settle } from '../../support/world/deleting.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';
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
async function deletionOffered(self: Listening, name = 'a') {
  const { id } = await offered(self, name);
  await completed(self, (await claim(self)).tasks[0], 'succeeded');
  await settle(self.plane, id);
  await remove(self.plane, id);
  await settle(self.plane, id);
  return id;
}

const claimedTask = async (self: Listening, instance = 'one') => (await claim(self, 10, instance)).tasks[0];

describe('the deletion of what no listener was ever asked to run', () => {
  it('leaves nothing, and nobody else out', async () => {
    const { plane } = await listening();
    const uploads = { source: 'internal_source', source_config: {}, source_revision_config: {} };
    const agent = { agent_id: 'x', environment: 'y' };
    const secrets = [{ name: 'TOKEN', value: 'a-secret' }];
    const custom = { source_config: { custom_url: 'https://agent.example.com' } };
    const { id } = await post(plane, { name: 'a', agent, secrets, ...uploads, ...custom });
    const other = await post(plane, { name: 'b', secrets, ...uploads });
    for (const one of [id, other.id]) {
      const path = await plane.upload(one);
      await change(plane, one, { source_revision_config: { source_tarball_path: path } });
      await plane.upload(one, 'nobody named this one');
    }
    const stream = { tenantId: plane.caller.tenantId, deploymentId: id, type: 'build' } as const;
    const line = { timestamp: 1, level: 'INFO', message: 'x' } as const;
    await plane.deps.logs.append({ ...stream, revisionId: other.latest_revision_id }, [line]);
    const before = (await leftOf(plane, other.id)).length;

    await remove(plane, id);
    await settle(plane, id);
    expect(await refusedWith(show(plane, id))).toBe(gone(id));
    expect(await leftOf(plane, id)).toEqual([]);
    expect((await plane.deps.logs.query(stream, { order: 'asc', limit: 9 })).entries).toEqual([]);
    expect(await plane.filesOf(id)).toEqual([]);

    expect((await leftOf(plane, other.id)).length).toBe(before);
    expect(await plane.filesOf(other.id)).toHaveLength(3);
    const again = await post(plane, { name: 'a', agent, ...uploads, ...custom });
    expect(again.id).not.toBe(id);
    expect((await list(plane)).resources.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('takes as many calls as it needs, between which others are looked at', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    const { pk } = deploymentKey(plane.caller.tenantId, id);
    for (let page = 0; page < 10; page++) {
      const some = Array.from({ length: 100 }, (_, n) => ({
        pk,
        sk: `U#${page * 100 + n}`,
        entity: 'x',
        v: 1,
      }));
      await transact(
        plane.deps.table,
        some.map((item) => put('x', item)),
      );
    }
    await remove(plane, id);
    const other = await post(plane, github('b'));
    const records = [id, other.id].map((each, index) => {
      const key = deploymentKey(plane.caller.tenantId, each);
      return { sequenceNumber: `${index}`, ...key };
    });
    let calls = 0;
    let writes = 0;
    const stop = watchConsumed(plane.deps.table.client, (_, { name }) => {
      if (isWrite(name)) writes += 1;
    });
    for (; (await leftOf(plane, id)).length > 0; calls++) {
      expect(calls).toBeLessThan(20);
      writes = 0;
      expect(await dispatch(plane.deps, records, (error) => expect.unreachable(String(error)))).toEqual([]);
      // Others are looked at in each call, and none is much longer than theirs.
      expect(writes).toBeLessThan(10);
      const owner = { tenantId: plane.caller.tenantId, deploymentId: other.id };
      expect((await load(plane.deps, owner))?.deployment.slot).toBeDefined();
    }
    stop();
    expect(calls).toBeGreaterThan(4);
  });

  it('interrupts a build first', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    await inProgress(plane, id, 'BUILDING');
    await remove(plane, id);
    // No execution runs here: it ends as one that is gone.
    await settle(plane, id);
    expect(await leftOf(plane, id)).toEqual([]);
  });
});

describe('the deletion of what a listener runs', () => {
  it('asks the listener under a newer epoch than all before, and ends with its word', async () => {
    const self = await listening();
    const { plane, listenerId } = self;
    const id = await deletionOffered(self);
    const [row] = await desiredRows(self);
    expect(row).toMatchObject({ deployment_id: id, revision_id: null, held: true });
    const params = { listener_id: listenerId, deployment_id: id };
    expect(await refusedWith(getSpec(plane.deps, { params }, plane.caller))).toBe(gone(id));
    const task = await claimedTask(self);
    expect(task).toEqual({
      kind: 'DELETE',
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
        plane.deps,
        { params: of, body: { lease_id: task?.lease_id ?? '', phase } },
        plane.caller,
      );
    expect([await beat(), await beat('switching')]).toEqual([{ stop: false }, { stop: false }]);
    expect((await show(plane, id)).status).toBe('AWAITING_DELETE');
    expect(await completed(self, task, 'succeeded')).toEqual({ accepted: true });
    await settle(plane, id);
    expect(await refusedWith(show(plane, id))).toBe(gone(id));
    expect(await leftOf(plane, id)).toEqual([]);
    expect(await desiredRows(self)).toEqual([]);
    expect(await completed(self, task, 'succeeded')).toEqual({ accepted: true });
    await post(plane, github('a'));
  });

  it('waits for a cancelled deploy to be acknowledged, or for its lease', async () => {
    const self = await listening();
    const { plane } = self;
    for (const acknowledged of [true, false]) {
      const { id } = await offered(self, `a-${acknowledged}`);
      const deploy = await claimedTask(self);
      await remove(plane, id);
      await settle(plane, id);
      expect(await claim(self)).toMatchObject({ tasks: [], cancelled: [deploy?.task_id] });
      if (acknowledged) await completed(self, deploy, 'stopped');
      else plane.advance(61);
      await settle(plane, id);
      const task = await claimedTask(self);
      expect(task).toMatchObject({ kind: 'DELETE', deployment_id: id });
      expect(task?.epoch).toBeGreaterThan(deploy?.epoch ?? 0);
      await completed(self, task, 'succeeded');
      await settle(plane, id);
      expect(await leftOf(plane, id)).toEqual([]);
    }
  });

  it('is offered again to whoever asks when its lease has run out', async () => {
    const self = await listening();
    const id = await deletionOffered(self);
    const lost = await claimedTask(self, 'one');
    expect(await claimedTask(self, 'two')).toBeUndefined();
    self.plane.advance(61);
    await settle(self.plane, id);
    const taken = await claimedTask(self, 'two');
    expect(taken).toMatchObject({ kind: 'DELETE', task_id: lost?.task_id });
    expect(taken?.epoch).toBeGreaterThan(lost?.epoch ?? 0);
    expect(await refusedWith(completed(self, lost, 'succeeded'))).toMatch(/^409 /);
    await completed(self, taken, 'succeeded');
    await settle(self.plane, id);
    expect(await leftOf(self.plane, id)).toEqual([]);
  });

  it('is asked for again a minute after the listener could not do it', async () => {
    const self = await listening();
    const id = await deletionOffered(self);
    const failed = await claimedTask(self);
    expect(await completed(self, failed, 'failed')).toEqual({ accepted: true });
    await settle(self.plane, id);
    expect(await desiredRows(self)).toMatchObject([{ deployment_id: id, revision_id: null, held: false }]);
    expect(await claimedTask(self)).toBeUndefined();
    self.plane.advance(61);
    await settle(self.plane, id);
    expect(await claimedTask(self)).toMatchObject({ kind: 'DELETE', deployment_id: id });
  });

  it('waits for a listener that is away, looked at now and then', async () => {
    const self = await listening();
    const id = await deletionOffered(self);
    const dueIn = async () => {
      const [item] = (await leftOf(self.plane, id)).filter(({ entity }) => entity === 'deployment');
      return Math.round((Number(item?.due_at) - self.plane.deps.clock.now()) / 60_000);
    };
    expect(await dueIn()).toBe(15);
    await claimedTask(self);
    expect(await dueIn()).toBe(1);
    expect((await show(self.plane, id)).status).toBe('AWAITING_DELETE');
  });
});

describe('a deletion that is forced', () => {
  it('removes the records, and the listener is told to run nothing until it says that it does not', async () => {
    const self = await listening();
    const { plane } = self;
    const id = await deletionOffered(self);
    const task = await claimedTask(self);
    await remove(plane, id, { force: 'true' });
    await settle(plane, id);
    expect(await refusedWith(show(plane, id))).toBe(gone(id));
    expect((await leftOf(plane, id)).map(({ entity }) => entity)).toEqual(['placement']);
    await post(plane, github('a'));
    const [row] = await desiredRows(self);
    expect(row).toMatchObject({ deployment_id: id, revision_id: null, held: false });
    const epoch = row?.epoch ?? 0;
    expect(epoch).toBeGreaterThan(task?.epoch ?? 0);
    expect(await completed(self, task, 'succeeded')).toEqual({ accepted: false });

    const none = { deployment_id: id, revision_id: null };
    const other = { plane, listenerId: (await register(plane, 'other')).id };
    expect(await reported(other, { ...none, epoch })).toEqual({ accepted: 0 });
    expect(await reported(self, { ...none, epoch: epoch - 1 })).toEqual({ accepted: 0 });
    expect(await reported(self, { ...none, revision_id: plane.deps.clock.randomId(), epoch })).toEqual({
      accepted: 0,
    });
    expect(await desiredRows(self)).toHaveLength(1);
    expect(await reported(self, { ...none, epoch })).toEqual({ accepted: 1 });
    expect(await desiredRows(self)).toEqual([]);
    expect(await reported(self, { ...none, epoch })).toEqual({ accepted: 0 });
    expect(await refusedWith(remove(plane, id, { force: 'true' }))).toBe(gone(id));
  });

  it('does not wait for a cancelled deploy either', async () => {
    const self = await listening();
    const { id } = await offered(self, 'a');
    await claim(self);
    await remove(self.plane, id);
    await settle(self.plane, id);
    await remove(self.plane, id, { force: 'true' });
    await settle(self.plane, id);
    expect((await leftOf(self.plane, id)).map(({ entity }) => entity)).toEqual(['placement']);
  });

  it('leaves no row behind when the listener had said its word, or was never asked', async () => {
    const self = await listening();
    const { plane } = self;
    const id = await deletionOffered(self);
    await completed(self, await claimedTask(self), 'succeeded');
    const unused = await post(plane, github('unused'));
    await remove(plane, unused.id);
    for (const one of [id, unused.id]) {
      await remove(plane, one, { force: 'true' });
      await settle(plane, one);
      expect(await leftOf(plane, one)).toEqual([]);
    }
  });
});
