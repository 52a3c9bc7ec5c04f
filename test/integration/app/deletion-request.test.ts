import { describe, expect, it } from 'vitest';
import { endRevision } from '../../../lib/app/engine/end-revision.ts';
import { reconcile } from '../../../lib/app/engine/reconcile.ts';
import { load } from '../../../lib/app/engine/situation.ts';
import { takeSlot } from '../../../lib/app/engine/slots.ts';
import { completeTask } from '../../../lib/app/listener-protocol/complete.ts';
import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { createUploadUrl } from '../../../lib/app/uploads/create-upload-url.ts';
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
const names = async (plane: World, query: Record<string, string> = {}) =>
  (await list(plane, query)).resources.map((shown) => shown.name);

describe('a request to delete', () => {
  it('ends the queue, interrupts what is in progress, and is seen at once', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    const active = await ended(plane, id, 'DEPLOYED');
    const building = await postRevision(plane, id);
    await inProgress(plane, id, 'BUILDING');
    const queued = [await postRevision(plane, id), await postRevision(plane, id)];
    await remove(plane, id);
    expect(await show(plane, id)).toMatchObject({ status: 'AWAITING_DELETE', active_revision_id: active.id });
    for (const { id: revisionId } of queued) {
      expect(await showRevision(plane, id, revisionId)).toMatchObject({
        status: 'INTERRUPTED',
        status_message: 'Interrupted: deployment deleted.',
        queue_position: null,
      });
    }
    const interrupted = await showRevision(plane, id, building.id);
    expect(interrupted).toMatchObject({ status: 'BUILDING', interrupt_requested_at: expect.any(String) });
    await endRevision(plane.deps, { ...owner(plane, id), revisionId: building.id });
    expect(await showRevision(plane, id, building.id)).toMatchObject({
      status: 'INTERRUPTED',
      status_message: 'Interrupted: deployment deleted.',
    });
    expect((await show(plane, id)).status).toBe('AWAITING_DELETE');
  });

  it('ends a revision that has the slot and no step has begun with, and frees the slot', async () => {
    const { plane } = await listening();
    const { id, latest_revision_id: first } = await post(plane, github('a'));
    const loaded = await load(plane.deps, owner(plane, id));
    if (loaded !== undefined) await takeSlot(plane.deps, loaded, 1);
    await remove(plane, id);
    expect((await showRevision(plane, id, first)).status).toBe('INTERRUPTED');
    expect((await load(plane.deps, owner(plane, id)))?.deployment.slot).toBeUndefined();
  });

  it('ends a full queue in two steps, as a transaction holds no more', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    await inProgress(plane, id, 'BUILDING');
    for (let n = 0; n < 100; n++) await postRevision(plane, id);
    await remove(plane, id);
    const count = async (status: string) =>
      (await revisions(plane, id, { status, limit: '100' })).resources.length;
    expect([await count('INTERRUPTED'), await count('QUEUED')]).toEqual([90, 10]);
    await reconcile(plane.deps, owner(plane, id), { asking: false });
    expect([await count('INTERRUPTED'), await count('QUEUED'), await count('BUILDING')]).toEqual([100, 0, 1]);
  });

  it('leaves a deploy alone whose listener moves traffic; it ends as it does, and stays out of the list', async () => {
    const self = await listening();
    const { plane, listenerId } = self;
    const { id, revisionId } = await offered(self, 'a');
    const [task] = (await claim(self)).tasks;
    const params = { listener_id: listenerId, task_id: task?.task_id ?? '' };
    const lease_id = task?.lease_id ?? '';
    await heartbeatTask(plane.deps, { params, body: { lease_id, phase: 'switching' } }, plane.caller);
    await remove(plane, id);
    await completeTask(plane.deps, { params, body: { lease_id, outcome: 'succeeded' } }, plane.caller);
    await endRevision(plane.deps, { ...owner(plane, id), revisionId });
    expect((await showRevision(plane, id, revisionId)).status).toBe('DEPLOYED');
    expect(await show(plane, id)).toMatchObject({
      status: 'AWAITING_DELETE',
      active_revision_id: revisionId,
    });
    expect(await names(plane)).toEqual([]);
    expect(await names(plane, { status: 'AWAITING_DELETE' })).toEqual(['a']);
  });

  it('takes it out of every list but the one that asks for what is being deleted', async () => {
    const { plane } = await listening();
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await post(plane, github(name)));
    const [a, , c] = made.map(({ id }) => id);
    await removeMany(plane, `${a},${c}`);
    expect(await names(plane)).toEqual(['d', 'b']);
    expect(await names(plane, { name: 'a' })).toEqual([]);
    expect(await names(plane, { name_contains: 'a' })).toEqual([]);
    expect(await names(plane, { deployment_ids: `${a},${c}` })).toEqual([]);
    expect(await names(plane, { status: 'UNUSED' })).toEqual(['d', 'b']);
    expect(await names(plane, { status: 'AWAITING_DELETE' })).toEqual(['c', 'a']);
    expect(await names(plane, { status: 'AWAITING_DELETE', name: 'a' })).toEqual(['a']);
    expect(await names(plane, { status: 'AWAITING_DELETE', deployment_ids: `${a}` })).toEqual(['a']);
    expect(await names(plane, { status: 'AWAITING_DELETE,UNUSED' })).toEqual(['d', 'c', 'b', 'a']);
    const second = await list(plane, { status: 'UNUSED,AWAITING_DELETE', limit: '2', offset: '1' });
    expect([second.resources.map((shown) => shown.name), second.offset]).toEqual([['c', 'b'], 3]);
  });

  it('may be made again; every other write is refused', async () => {
    const { plane } = await listening();
    const { id, latest_revision_id: first } = await post(plane, github('a'));
    await remove(plane, id);
    await remove(plane, id);
    const params = { deployment_id: id };
    for (const write of [
      () => change(plane, id, {}),
      () => postRevision(plane, id),
      () => redeploy(plane, id, first),
      () => interrupt(plane, id, first),
      () => createUploadUrl(plane.deps, { params }, plane.caller),
    ]) {
      expect(await refusedWith(write())).toBe(`409 Deployment ${id} is being deleted (AWAITING_DELETE).`);
    }
  });

  it('is refused for what is not there, another version, and force without a request before', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    const unknown = plane.deps.clock.randomId();
    expect(await refusedWith(remove(plane, unknown))).toBe(`404 Deployment ID ${unknown} not found.`);
    expect(await refusedWith(remove(plane.as(), id))).toBe(`404 Deployment ID ${id} not found.`);
    expect(await refusedWith(remove(plane, id, {}, '"7"'))).toBe(
      '412 If-Match names version "7", but the current version is "1".',
    );
    expect(await refusedWith(remove(plane, id, { force: 'true' }))).toBe(
      `409 Deployment ${id} is not being deleted; 'force' is only for one that is (AWAITING_DELETE): delete it without 'force' first.`,
    );
    expect((await show(plane, id)).status).toBe('UNUSED');
    await remove(plane, id, { force: 'false' }, '"1"');
    expect((await show(plane, id)).status).toBe('AWAITING_DELETE');
  });

  it('loses no race: of ten changes at once each is made before it or refused', async () => {
    const { plane } = await listening();
    const { id } = await post(plane, github('a'));
    const asked = Array.from({ length: 10 }, (_, n) =>
      n === 4
        ? remove(plane, id).then(() => 'deleted')
        : refusedWith(postRevision(plane, id)).catch(() => 'made'),
    );
    const answers = new Set(await Promise.all(asked));
    answers.delete('made');
    answers.delete(`409 Deployment ${id} is being deleted (AWAITING_DELETE).`);
    expect([...answers]).toEqual(['deleted']);
    const { resources } = await revisions(plane, id, { limit: '100' });
    expect(new Set(resources.map(({ status }) => status))).toEqual(new Set(['INTERRUPTED']));
  });
});

describe('a request to delete several', () => {
  it('tells of each what a request for it alone would have been answered', async () => {
    const { plane } = await listening();
    const [a, b] = [await post(plane, github('a')), await post(plane, github('b'))];
    const unknown = plane.deps.clock.randomId();
    const { results } = await removeMany(plane, [a.id, unknown, b.id, a.id].join(','));
    expect(results).toEqual([
      { deployment_id: a.id, status: 204, detail: null },
      { deployment_id: unknown, status: 404, detail: `Deployment ID ${unknown} not found.` },
      { deployment_id: b.id, status: 204, detail: null },
    ]);
    expect(await names(plane)).toEqual([]);
  });
});

describe('the name of a deployment that is being deleted', () => {
  it('stays taken, and who asks for it is told what it waits for', async () => {
    const self = await listening();
    const { plane } = self;
    const unused = await post(plane, github('unused'));
    await remove(plane, unused.id);
    expect(await refusedWith(post(plane, github('unused')))).toBe(
      "409 Deployment with name 'unused' already exists. It is being deleted; try again in a moment.",
    );
    const { id } = await offered(self, 'used');
    await remove(plane, id);
    expect(await refusedWith(post(plane, github('used')))).toBe(
      `409 Deployment with name 'used' already exists. Its deletion waits for listener machine; if that will not come back, DELETE /v2/deployments/${id}?force=true ends the waiting.`,
    );
  });
});
