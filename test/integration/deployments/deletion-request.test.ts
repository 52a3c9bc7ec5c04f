import { describe, expect, it } from 'vitest';
import { endRevision } from '../../../lib/core/engine/end-revision.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { reconcile } from '../../../lib/core/engine/reconcile.ts';
import { takeSlot } from '../../../lib/core/engine/slots.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import { createUploadUrl } from '../../../lib/features/uploads/create-upload-url.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
import { ended, inProgress } from '../../support/world/processed.ts';
import {
  change,
  github,
  interrupt,
  list,
  post,
  postRevision,
  redeploy,
  refusedWith,
  remove,
  removeMany,
  revisions,
  show,
  showRevision,
} from '../../support/world/requests.ts';
import type { World } from '../../support/world/world.ts';

const owner = ({ caller }: World, deploymentId: string) => ({
  tenantId: caller.tenantId,
  deploymentId,
});
const names = async (world: World, query: Record<string, string> = {}) =>
  (await list(world, query)).resources.map((shown) => shown.name);

describe('a request to delete', () => {
  it('ends the queue, interrupts what is in progress, and is seen at once', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const active = await ended(world, id, 'DEPLOYED');
    const building = await postRevision(world, id);
    await inProgress(world, id, 'BUILDING');
    const queued = [await postRevision(world, id), await postRevision(world, id)];
    await remove(world, id);
    expect(await show(world, id)).toMatchObject({ status: 'AWAITING_DELETE', active_revision_id: active.id });
    for (const { id: revisionId } of queued) {
      expect(await showRevision(world, id, revisionId)).toMatchObject({
        status: 'INTERRUPTED',
        status_message: 'Interrupted: deployment deleted.',
        queue_position: null,
      });
    }
    const interrupted = await showRevision(world, id, building.id);
    expect(interrupted).toMatchObject({ status: 'BUILDING', interrupt_requested_at: expect.any(String) });
    await endRevision(world.deps, { ...owner(world, id), revisionId: building.id });
    expect(await showRevision(world, id, building.id)).toMatchObject({
      status: 'INTERRUPTED',
      status_message: 'Interrupted: deployment deleted.',
    });
    expect((await show(world, id)).status).toBe('AWAITING_DELETE');
  });

  it('ends a revision that has the slot and no step has begun with, and frees the slot', async () => {
    const world = await listening();
    const { id, latest_revision_id: first } = await post(world, github('a'));
    const loaded = await load(world.deps, owner(world, id));
    if (loaded !== undefined) await takeSlot(world.deps, loaded, 1);
    await remove(world, id);
    expect((await showRevision(world, id, first)).status).toBe('INTERRUPTED');
    expect((await load(world.deps, owner(world, id)))?.deployment.slot).toBeUndefined();
  });

  it('ends a full queue in two steps, as a transaction holds no more', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    await inProgress(world, id, 'BUILDING');
    for (let n = 0; n < 100; n++) await postRevision(world, id);
    await remove(world, id);
    const count = async (status: string) =>
      (await revisions(world, id, { status, limit: '100' })).resources.length;
    expect([await count('INTERRUPTED'), await count('QUEUED')]).toEqual([90, 10]);
    await reconcile(world.deps, owner(world, id), { asking: false });
    expect([await count('INTERRUPTED'), await count('QUEUED'), await count('BUILDING')]).toEqual([100, 0, 1]);
  });

  it('leaves a deploy alone whose listener moves traffic; it ends as it does, and stays out of the list', async () => {
    const world = await listening();
    const { listenerId } = world;
    const { id, revisionId } = await offered(world, 'a');
    const [task] = (await claim(world)).tasks;
    const params = { listener_id: listenerId, task_id: task?.task_id ?? '' };
    const lease_id = task?.lease_id ?? '';
    await heartbeatTask(world.deps, { params, body: { lease_id, phase: 'switching' } }, world.caller);
    await remove(world, id);
    await completeTask(world.deps, { params, body: { lease_id, outcome: 'succeeded' } }, world.caller);
    await endRevision(world.deps, { ...owner(world, id), revisionId });
    expect((await showRevision(world, id, revisionId)).status).toBe('DEPLOYED');
    expect(await show(world, id)).toMatchObject({
      status: 'AWAITING_DELETE',
      active_revision_id: revisionId,
    });
    expect(await names(world)).toEqual([]);
    expect(await names(world, { status: 'AWAITING_DELETE' })).toEqual(['a']);
  });

  it('takes it out of every list but the one that asks for what is being deleted', async () => {
    const world = await listening();
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await post(world, github(name)));
    const [a, , c] = made.map(({ id }) => id);
    await removeMany(world, `${a},${c}`);
    expect(await names(world)).toEqual(['d', 'b']);
    expect(await names(world, { name: 'a' })).toEqual([]);
    expect(await names(world, { name_contains: 'a' })).toEqual([]);
    expect(await names(world, { deployment_ids: `${a},${c}` })).toEqual([]);
    expect(await names(world, { status: 'UNUSED' })).toEqual(['d', 'b']);
    expect(await names(world, { status: 'AWAITING_DELETE' })).toEqual(['c', 'a']);
    expect(await names(world, { status: 'AWAITING_DELETE', name: 'a' })).toEqual(['a']);
    expect(await names(world, { status: 'AWAITING_DELETE', deployment_ids: `${a}` })).toEqual(['a']);
    expect(await names(world, { status: 'AWAITING_DELETE,UNUSED' })).toEqual(['d', 'c', 'b', 'a']);
    const second = await list(world, { status: 'UNUSED,AWAITING_DELETE', limit: '2', offset: '1' });
    expect([second.resources.map((shown) => shown.name), second.offset]).toEqual([['c', 'b'], 3]);
  });

  it('may be made again; every other write is refused', async () => {
    const world = await listening();
    const { id, latest_revision_id: first } = await post(world, github('a'));
    await remove(world, id);
    await remove(world, id);
    const params = { deployment_id: id };
    for (const write of [
      () => change(world, id, {}),
      () => postRevision(world, id),
      () => redeploy(world, id, first),
      () => interrupt(world, id, first),
      () => createUploadUrl(world.deps, { params }, world.caller),
    ]) {
      expect(await refusedWith(write())).toBe(`409 Deployment ${id} is being deleted (AWAITING_DELETE).`);
    }
  });

  it('is refused for what is not there, another version, and force without a request before', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const unknown = world.deps.clock.randomId();
    expect(await refusedWith(remove(world, unknown))).toBe(`404 Deployment ID ${unknown} not found.`);
    expect(await refusedWith(remove(world.as(), id))).toBe(`404 Deployment ID ${id} not found.`);
    expect(await refusedWith(remove(world, id, {}, '"7"'))).toBe(
      '412 If-Match names version "7", but the current version is "1".',
    );
    expect(await refusedWith(remove(world, id, { force: 'true' }))).toBe(
      `409 Deployment ${id} is not being deleted; 'force' is only for one that is (AWAITING_DELETE): delete it without 'force' first.`,
    );
    expect((await show(world, id)).status).toBe('UNUSED');
    await remove(world, id, { force: 'false' }, '"1"');
    expect((await show(world, id)).status).toBe('AWAITING_DELETE');
  });

  it('loses no race: of ten changes at once each is made before it or refused', async () => {
    const world = await listening();
    const { id } = await post(world, github('a'));
    const asked = Array.from({ length: 10 }, (_, n) =>
      n === 4
        ? remove(world, id).then(() => 'deleted')
        : refusedWith(postRevision(world, id)).catch(() => 'made'),
    );
    const answers = new Set(await Promise.all(asked));
    answers.delete('made');
    answers.delete(`409 Deployment ${id} is being deleted (AWAITING_DELETE).`);
    expect([...answers]).toEqual(['deleted']);
    const { resources } = await revisions(world, id, { limit: '100' });
    expect(new Set(resources.map(({ status }) => status))).toEqual(new Set(['INTERRUPTED']));
  });
});

describe('a request to delete several', () => {
  it('tells of each what a request for it alone would have been answered', async () => {
    const world = await listening();
    const [a, b] = [await post(world, github('a')), await post(world, github('b'))];
    const unknown = world.deps.clock.randomId();
    const { results } = await removeMany(world, [a.id, unknown, b.id, a.id].join(','));
    expect(results).toEqual([
      { deployment_id: a.id, status: 204, detail: null },
      { deployment_id: unknown, status: 404, detail: `Deployment ID ${unknown} not found.` },
      { deployment_id: b.id, status: 204, detail: null },
    ]);
    expect(await names(world)).toEqual([]);
  });
});

describe('the name of a deployment that is being deleted', () => {
  it('stays taken, and who asks for it is told what it waits for', async () => {
    const world = await listening();
    const unused = await post(world, github('unused'));
    await remove(world, unused.id);
    expect(await refusedWith(post(world, github('unused')))).toBe(
      "409 Deployment with name 'unused' already exists. It is being deleted; try again in a moment.",
    );
    const { id } = await offered(world, 'used');
    await remove(world, id);
    expect(await refusedWith(post(world, github('used')))).toBe(
      `409 Deployment with name 'used' already exists. Its deletion waits for listener machine; if that will not come back, DELETE /v2/deployments/${id}?force=true ends the waiting.`,
    );
  });
});
