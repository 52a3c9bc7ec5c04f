import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/core/caller.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { listAttention } from '../../../lib/features/activity/attention.ts';
import { reportStatus as statusRow } from '../../../lib/features/listener-protocol/routes.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { until } from '../../support/until.ts';
import { aDeliveringWorld, hasFed, patch } from '../../support/world/delivering-world.ts';
import { makeKey } from '../../support/world/identity-requests.ts';
import { claim } from '../../support/world/listening.ts';
import { change, github, post, remove } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import type { World } from '../../support/world/world.ts';

type Asking = Pick<World, 'deps' | 'caller'>;
const next = { source_revision_config: { repo_ref: 'next' } };

const list = async ({ deps, caller }: Asking) => (await listAttention(deps, {}, caller)).resources;
const asAdmin = (world: RunningWorld) => world.as({ role: 'admin' } satisfies Partial<Caller>);

const needs = (world: Asking, count: number) =>
  until(
    async () => {
      const found = await list(world);
      return found.length === count && found;
    },
    { what: `${count} things that need somebody` },
  );

async function deployed(world: RunningWorld, name: string) {
  const { id, latest_revision_id: revisionId } = await post(world, github(name));
  await steps.deploy(world, id, revisionId);
  return { id, revisionId };
}

async function fails(world: RunningWorld, id: string, revisionId: string, message: string) {
  await steps.buildStarted(world, revisionId);
  await world.deps.builds.become(`build-${revisionId}`, { state: 'failed', message });
  await steps.reaches(world, id, revisionId, 'BUILD_FAILED');
}

const activeOf = (world: RunningWorld, id: string) =>
  until(async () => (await findDeployment(world.deps.table, world.caller.tenantId, id))?.active, {
    what: 'what serves',
  });

type Reported = { deployment_id: string; revision_id: string; epoch: number };

/** The listener says of what serves whether it is healthy. */
const reporting = (world: RunningWorld, of: Reported) => (healthy: boolean, reason?: string) => {
  const body = statusRow.body.parse({ reports: [{ ...of, healthy, ...(reason && { reason }) }] });
  return reportStatus(world.deps, { params: { listener_id: world.listenerId }, body }, world.caller);
};

describe('what needs somebody', () => {
  it('is a revision that failed, with what serves still, until a newer one is on its way', async () => {
    const world = await aRunningWorld();
    const { id } = await deployed(world, 'app');
    expect(await list(world)).toEqual([]);
    const { latest_revision_id: second } = await change(world, id, next);
    await fails(world, id, second, 'No matching distribution found for langchian. See the log.');
    expect(await needs(world, 1)).toMatchObject([
      {
        kind: 'deployment_failed',
        deployment: { id, name: 'app' },
        revision: { id: second, number: 2 },
        says: 'app: revision 2 failed to build',
      },
    ]);
    expect((await list(world))[0]?.effect).toMatch(/Revision 1 still serves\.$/);
    await change(world, id, { source_revision_config: { repo_ref: 'last' } });
    await needs(world, 0);
  });

  it('is a server that is unhealthy, and one that stops again and again', async () => {
    const world = await aRunningWorld();
    const { id, revisionId } = await deployed(world, 'app');
    const { epoch } = await activeOf(world, id);
    const report = reporting(world, { deployment_id: id, revision_id: revisionId, epoch });
    await report(true);
    await report(false, 'GET /ok answered 500');
    expect(await needs(world, 1)).toMatchObject([
      { kind: 'unhealthy', says: 'app is unhealthy', effect: 'GET /ok answered 500.' },
    ]);
    await report(true);
    await needs(world, 0);
    for (let stop = 0; stop < 3; stop++) {
      await report(false, 'the server was killed by SIGKILL');
      await report(true);
    }
    const [loop] = await needs(world, 1);
    expect(loop).toMatchObject({ kind: 'crash_loop', says: 'app keeps restarting', deployment: { id } });
    expect(loop?.effect).toMatch(/^It stopped \d times in 30 minutes\. The server was killed by SIGKILL\.$/);
    world.advance(3600);
    await claim(world, 1);
    await needs(world, 0);
  });

  it('is a revision that failed long ago, whatever became since of deployments that are gone', async () => {
    const world = await aRunningWorld();
    const { id, latest_revision_id: first } = await post(world, github('app'));
    await fails(world, id, first, 'No matching distribution found.');
    const gone = [await deployed(world, 'one'), await deployed(world, 'two')];
    for (const each of gone) await remove(world, each.id);
    await needs(world, 1);
    world.advance(3600);
    await claim(world, 1);
    expect(await needs(world, 1)).toMatchObject([{ kind: 'deployment_failed', deployment: { id } }]);
  });

  it('is no revision that serves well, though the one before it kept restarting', async () => {
    const world = await aRunningWorld();
    const { id, revisionId } = await deployed(world, 'app');
    const { epoch } = await activeOf(world, id);
    const report = reporting(world, { deployment_id: id, revision_id: revisionId, epoch });
    for (let stop = 0; stop < 3; stop++) {
      await report(true);
      await report(false, 'the server was killed by SIGKILL');
    }
    expect(await needs(world, 1)).toMatchObject([{ kind: 'crash_loop', revision: { number: 1 } }]);
    const { latest_revision_id: second } = await change(world, id, next);
    await steps.deploy(world, id, second);
    await needs(world, 0);
  });

  it('is a listener that does not call, which is said once for all that waits for it', async () => {
    const world = await aRunningWorld();
    await deployed(world, 'one');
    await deployed(world, 'two');
    world.advance(600);
    expect(await needs(world, 1)).toMatchObject([
      {
        kind: 'listener_offline',
        subject: { id: world.listenerId, name: 'machine' },
        says: 'Listener machine is offline',
        effect: 'two and one wait for it.',
      },
    ]);
  });

  it('is a key that ends within a week, for those who may see keys', async () => {
    const world = await aRunningWorld();
    const admin = asAdmin(world);
    const inDays = (days: number) =>
      new Date(world.deps.clock.now() + days * 86_400_000 + 60_000).toISOString();
    await makeKey(admin, { name: 'soon', role: 'viewer', expires_at: inDays(3) });
    await makeKey(admin, { name: 'later', role: 'viewer', expires_at: inDays(30) });
    expect(await list(world)).toEqual([]);
    expect(await needs(admin, 1)).toMatchObject([
      { kind: 'key_expiring', subject: { name: 'soon' }, says: 'The access key “soon” ends in 3 days' },
    ]);
  });

  it('is a webhook whose receiver refuses, and none that a person has disabled', async () => {
    const world = await aDeliveringWorld();
    const receiver = await world.receiver();
    receiver.answer = 500;
    const { id: hookId } = await world.hook(receiver.url);
    await post(world, github('app'));
    await hasFed(world, 2);
    const admin = asAdmin(world);
    const [failing] = await until(
      async () => {
        const found = (await list(admin)).filter(({ kind }) => kind === 'webhook_failing');
        return found.length === 1 && found;
      },
      { what: 'the webhook to fail' },
    );
    expect(failing).toMatchObject({ subject: { id: hookId } });
    expect(failing?.effect).toMatch(/500.*Events wait until it answers\.$/);
    await patch(world, hookId, { status: 'DISABLED' });
    expect((await list(admin)).filter(({ kind }) => kind === 'webhook_failing')).toEqual([]);
    expect((await list(world)).filter(({ kind }) => kind === 'webhook_failing')).toEqual([]);
  });
});
