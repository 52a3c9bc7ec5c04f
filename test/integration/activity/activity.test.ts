import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/core/caller.ts';
import { listActivity, listDeploymentActivity } from '../../../lib/features/activity/list.ts';
import { listActivity as row } from '../../../lib/features/activity/routes.ts';
import { until } from '../../support/until.ts';
import { giveRole, makeKey } from '../../support/world/identity-requests.ts';
import { change, github, interrupt, post, postRevision, redeploy } from '../../support/world/requests.ts';
import { aRunningWorld } from '../../support/world/running-world.ts';
import * as steps from '../../support/world/steps.ts';
import type { World } from '../../support/world/world.ts';

const admin: Partial<Caller> = { role: 'admin', userId: 'mara@example.com' };

type Asking = Pick<World, 'deps' | 'caller'>;

const list = ({ deps, caller }: Asking, query: Record<string, string> = {}) =>
  listActivity(deps, { query: row.query.parse({ limit: '100', ...query }) }, caller);

const said = async (world: Asking) => (await list(world)).resources.map(({ says }) => says);

/** Waits until this is told, newest first, and gives it. */
async function told(world: Asking, expected: string[]) {
  let seen: string[] = [];
  return until(
    async () => {
      const { resources } = await list(world);
      seen = resources.map(({ says }) => says);
      return JSON.stringify(seen) === JSON.stringify(expected) && resources;
    },
    { what: () => `${expected.join(', ')}; seen: ${seen.join(', ')}` },
  );
}

/** A world whose requests are an administrator's. */
async function aWorldOfMara() {
  const world = await aRunningWorld();
  // Requests are told by the times in their ids, events by those of the clock, which is slower in tests.
  world.deps.clock.now = Date.now;
  const mara = { ...world, caller: { ...world.caller, ...admin } };
  return { world, mara };
}

describe('the activity', () => {
  it('tells a deploy, who asked for it and what took over, each once', async () => {
    const { world, mara } = await aWorldOfMara();
    const { id, latest_revision_id: first } = await post(mara, github('app'));
    await steps.deploy(world, id, first);
    const { id: second } = await postRevision(mara, id);
    await steps.deployBuilt(world, id, second);
    await change(mara, id, { source_config: { build_on_push: false } });
    const resources = await told(mara, [
      'mara@example.com changed the settings of app',
      'app 2 took over from 1',
      'mara@example.com deployed app, revision 2',
      'app now serves revision 1',
      'mara@example.com created app',
      'The listener machine was added',
    ]);
    expect(resources[2]).toMatchObject({
      kind: 'revision_begun',
      actor: { kind: 'person', name: 'mara@example.com' },
      deployment: { id, name: 'app' },
      revision: { id: second, number: 2 },
    });
    expect(resources[1]).toMatchObject({ kind: 'revision_took_over', actor: null });
  });

  it('tells a change that makes a revision as a deploy, a rollback with its reason, and who stopped what', async () => {
    const { world, mara } = await aWorldOfMara();
    const { id, latest_revision_id: first } = await post(mara, github('app'));
    await steps.deploy(world, id, first);
    for (const repo_ref of ['next', 'last']) {
      const { latest_revision_id: revision } = await change(mara, id, {
        source_revision_config: { repo_ref },
      });
      await steps.deploy(world, id, revision);
    }
    await redeploy(mara, id, first, {}, { reason: 'answers were too long' });
    await interrupt(mara, id, (await redeploy(mara, id, first)).latest_revision_id);
    const all = await until(
      async () => {
        const seen = await said(mara);
        return seen.some((says) => says.includes('stopped')) && seen;
      },
      { what: 'the revision that was stopped' },
    );
    expect(all).toContain('mara@example.com rolled app back to revision 1: “answers were too long”');
    expect(all).toContain('mara@example.com deployed app, revision 2');
    expect(all).toContain('mara@example.com stopped app, revision 5');
    expect(all.filter((says) => says.includes('began'))).toEqual([]);
  });

  it('does not tell who did what to those who may not read the audit events', async () => {
    const { world, mara } = await aWorldOfMara();
    const { id, latest_revision_id: first } = await post(mara, github('app'));
    await makeKey(mara, { name: 'ci', role: 'viewer' });
    await steps.buildStarted(world, first);
    await world.deps.builds.become(`build-${first}`, { state: 'failed', message: 'No such package' });
    await steps.reaches(world, id, first, 'BUILD_FAILED');
    const viewer = world.as({ role: 'viewer' });
    const seen = await told(viewer, ['app 1 failed to build', 'app 1 began', 'app was created']);
    expect(seen.map(({ actor }) => actor)).toEqual([null, null, null]);
    const ofMara = await told(mara, [
      'app 1 failed to build',
      'mara@example.com made the access key ci',
      'mara@example.com created app',
      'The listener machine was added',
    ]);
    expect(ofMara[1]?.actor).toEqual({ kind: 'person', name: 'mara@example.com' });
  });

  it('names members with the role that they were given', async () => {
    const { mara } = await aWorldOfMara();
    await giveRole(mara, 'lena@example.com', 'developer');
    const [invited] = await told(mara, [
      'mara@example.com invited lena@example.com as a developer',
      'The listener machine was added',
    ]);
    expect(invited).toMatchObject({ kind: 'member_changed', subject: { name: 'lena@example.com' } });
  });

  it('is given by pages, and of one deployment alone', async () => {
    const { world, mara } = await aWorldOfMara();
    const one = await post(mara, github('one'));
    const two = await post(mara, github('two'));
    await steps.deploy(world, one.id, one.latest_revision_id);
    await steps.deploy(world, two.id, two.latest_revision_id);
    const all = await until(
      async () => {
        const { resources } = await list(mara);
        return resources.length === 5 && resources;
      },
      { what: 'five entries' },
    );
    const pages = [];
    for (let offset = 0; offset < 6; offset += 2)
      pages.push(await list(mara, { limit: '2', offset: String(offset) }));
    expect(pages.flatMap(({ resources }) => resources)).toEqual(all);
    expect(pages.map(({ offset }) => offset)).toEqual([2, 4, 5]);
    const input = { params: { deployment_id: one.id }, query: row.query.parse({}) };
    const own = await listDeploymentActivity(mara.deps, input, mara.caller);
    expect(own.resources.map(({ says }) => says)).toEqual([
      'one now serves revision 1',
      'mara@example.com created one',
    ]);
  });
});
