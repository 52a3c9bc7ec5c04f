import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { RevisionRef } from '../../../lib/contract/refs.ts';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { failAborted, failBuildOverdue } from '../../../lib/core/engine/builds.ts';
import { markUnknown } from '../../../lib/core/engine/deploys.ts';
import { type Loaded, load } from '../../../lib/core/engine/load.ts';
import { recordBuild } from '../../../lib/core/engine/record-build.ts';
import { takeSlot } from '../../../lib/core/engine/slots.ts';
import { stopBuild } from '../../../lib/core/engine/stop-build.ts';
import { failLostBuild } from '../../../lib/core/engine/tokens.ts';
import { awaitBuild, prepare } from '../../../lib/core/engine/transactions/steps.ts';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { findToken, getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { deployRevision } from '../../../lib/core/steps/deploy.ts';
import { prepareRevision } from '../../../lib/core/steps/prepare.ts';
import { patchDeployment } from '../../../lib/features/deployments/patch.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import { remove, update } from '../../../lib/store/dynamodb/expressions.ts';
import { ConditionsFailed, transact } from '../../../lib/store/dynamodb/transact.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { deploymentKey, revisionKey, revisionKeyOf } from '../../../lib/store/keys/index.ts';
import { claim, listening, offered } from '../../support/world/listening.ts';
import { inProgress } from '../../support/world/processed.ts';
import { github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/** What a look finds. */
async function looked(deps: Deps, owner: Parameters<typeof load>[1]): Promise<Loaded> {
  const loaded = await load(deps, owner);
  if (loaded === undefined) throw new Error('the deployment is not there');
  return loaded;
}

/** The same dependencies, where somebody else comes first at the first write. */
function overtaken(deps: Deps, first: () => Promise<unknown>): Deps {
  const { client } = deps.table;
  let isDone = false;
  const send = async (command: TransactWriteCommand) => {
    if (!isDone && /^(Transact|Update)/.test(command.constructor.name)) {
      isDone = true;
      await first();
    }
    return client.send(command);
  };
  const racing = new Proxy(client, {
    get: (target, key) => (key === 'send' ? send : Reflect.get(target, key, target)),
  });
  return { ...deps, table: { ...deps.table, client: racing } };
}

/** A revision that has come so far, in a world of its own. */
async function processing(status: RevisionStatus) {
  const world = await aWorld();
  await register(world, 'machine');
  const { id: deploymentId } = await post(world, github('app'));
  const { id: revisionId } = await inProgress(world, deploymentId, status);
  return { deps: world.deps, ref: { tenantId: world.caller.tenantId, deploymentId, revisionId } };
}

/** What somebody else has written of a revision meanwhile. */
const change = ({ table }: Pick<Deps, 'table'>, ref: RevisionRef, set: object) =>
  transact(table, [update('revision', revisionKeyOf(ref), { set: { ...set } })]);

describe('a step that is overtaken', () => {
  it('by the claim of its task keeps its token: that is no crash', async () => {
    const world = await listening();
    const { tenantId } = world.caller;
    const { id: deploymentId, revisionId } = await offered(world, 'app');
    const task = { tenantId, deploymentId, revisionId, attempt: 1, token: 'the next', retry: 1 };

    await deployRevision(
      overtaken(world.deps, () => claim(world)),
      task,
    );

    expect(await findToken(world.deps.table, task, 1)).toMatchObject({ token: 'the next' });
  });

  it('by its next try leaves that one its token: nobody waits for its own any more', async () => {
    const world = await listening();
    const { deps, caller } = world;
    const { id: deploymentId, revisionId } = await offered(world, 'app');
    const ref = { tenantId: caller.tenantId, deploymentId, revisionId };
    const first = { ...ref, attempt: 1, token: 'given up', retry: 1 };
    const next = { ...first, token: 'waited for', retry: 2 };

    await deployRevision(deps, next);

    await expect(deployRevision(deps, first)).rejects.toMatchObject({ name: 'StepRefused' });
    expect(await findToken(deps.table, ref, 1)).toMatchObject({ token: 'waited for' });
  });

  it.each([
    ['the next attempt', { attempt: 2, retry: 0 }],
    ['a later try', { attempt: 1, retry: 3 }],
  ])('leaves its token to %s', async (_, after) => {
    const self = await listening();
    const { deps, caller } = self;
    const { id: deploymentId, revisionId } = await offered(self, 'app');
    const ref = { tenantId: caller.tenantId, deploymentId, revisionId };
    await deployRevision(deps, { ...ref, attempt: 1, token: 'given up', retry: 2 });
    await change(deps, ref, { attempt: after.attempt });

    await deployRevision(deps, { ...ref, ...after, token: 'waited for' });

    expect(await findToken(deps.table, ref, 1)).toMatchObject({ token: 'waited for' });
  });

  it('by the build that a later try has begun records no failure of the source', async () => {
    const { deps, ref } = await processing('AWAITING_BUILD');
    const early = await getRevisionItem(deps.table, ref);
    const task = { ...ref, attempt: 1, token: 'build', retry: 0 };
    await transact(deps.table, awaitBuild(task, early, { dueAt: 1_000, now: 0 }));

    const outcome = { stage: 'build', result: 'failed', message: 'no ref' } as const;
    const late = prepare(early, 'AWAITING_BUILD', { outcome }, { attempt: 1, now: 0 });
    await expect(write(deps.table, late)).rejects.toBeInstanceOf(ConditionsFailed);
  });

  it('by the failure of its deploy leaves that as it is', async () => {
    const { deps, ref } = await processing('BUILDING');
    const built = { outcome: { stage: 'build', result: 'succeeded' } };
    await change(deps, ref, built);
    const early = await looked(deps, ref);

    const step = deployRevision(
      overtaken(deps, () => failAborted(deps, early)),
      { ...ref, attempt: 1, token: 'deploy', retry: 0 },
    );
    await expect(step).rejects.toMatchObject({ name: 'StepRefused' });
    const { outcome } = await getRevisionItem(deps.table, ref);
    expect(outcome).toMatchObject({ stage: 'deploy', result: 'failed' });
  });

  it('of a build, tried again, leaves its token to the deploy', async () => {
    const { deps, ref } = await processing('BUILDING');
    const build = { ...ref, attempt: 1, token: 'build', retry: 2 };
    const revision = await getRevisionItem(deps.table, ref);
    await transact(deps.table, awaitBuild(build, revision, { dueAt: 1_000, now: 0 }));

    await deployRevision(deps, { ...ref, attempt: 1, token: 'deploy', retry: 0 });

    expect(await findToken(deps.table, ref, 1)).toMatchObject({ token: 'deploy' });
  });

  it('by a try of itself that was not heard goes on from there', async () => {
    const { deps, ref } = await processing('QUEUED');
    const input = { ...ref, attempt: 1 };

    const slow = overtaken(deps, () => prepareRevision(deps, input));
    expect(await prepareRevision(slow, input)).toEqual({ path: 'build' });
  });
});

describe('a request that is overtaken', () => {
  it('by what the engine finds out about the source leaves it as it is', async () => {
    const plane = await aWorld();
    const { deps, caller } = plane;
    await register(plane, 'machine');
    const { id } = await post(plane, github('app'));
    const key = deploymentKey(caller.tenantId, id);
    const found = { 'revision_config.repo_commit_sha': 'c'.repeat(40) };
    const finds = () => transact(deps.table, [update('deployment', key, { set: found })]);

    const input = {
      params: { deployment_id: id },
      body: { display_name: 'App' },
      headers: {},
    };
    await patchDeployment(overtaken(deps, finds), input, caller);

    const deployment = await findDeployment(deps.table, caller.tenantId, id);
    expect(deployment).toMatchObject({
      display_name: 'App',
      revision_config: { repo_commit_sha: 'c'.repeat(40) },
    });
  });
});

describe('a look that is overtaken', () => {
  it('by the next attempt does not end the wait for its build', async () => {
    const { deps, ref } = await processing('BUILDING');
    const lost = { attempt: 1, lost_build: { id: 'build', build_attempt: 1, attempt: 1 }, builds_lost: 1 };
    await change(deps, ref, lost);
    const early = await looked(deps, ref);
    await change(deps, ref, { attempt: 2 });
    const next = await getRevisionItem(deps.table, ref);
    const task = { ...ref, attempt: 2, token: 'the next', retry: 0 };
    await transact(deps.table, awaitBuild(task, next, { dueAt: 1_000, now: 0 }));
    const token = await findToken(deps.table, ref, 1);
    const failed: string[] = [];
    const fail = async (given: string) => {
      failed.push(given);
      return 'answered' as const;
    };

    const failing = { ...deps, workflow: { ...deps.workflow, fail } };
    await failLostBuild(failing, { ...early, token });

    expect(failed).toEqual([]);
    expect(await findToken(deps.table, ref, 1)).toMatchObject({ token: 'the next' });
  });

  it('by an interrupt records no failure: what was answered holds', async () => {
    const world = await listening();
    const { deps, caller } = world;
    const { id: deploymentId, revisionId } = await offered(world, 'app');
    const ref = { tenantId: caller.tenantId, deploymentId, revisionId };
    const early = await looked(deps, ref);
    const params = { deployment_id: deploymentId, revision_id: revisionId };
    await interruptRevision(deps, { params }, caller);

    await expect(failAborted(deps, early)).rejects.toBeInstanceOf(ConditionsFailed);

    expect((await load(deps, ref))?.slotRevision?.outcome).toBeUndefined();
  });

  it('by an interrupt does not offer the task again', async () => {
    const world = await listening();
    const { deps, caller } = world;
    const { id: deploymentId, revisionId } = await offered(world, 'app');
    const ref = { tenantId: caller.tenantId, deploymentId, revisionId };
    await claim(world);
    const early = await looked(deps, ref);
    const params = { deployment_id: deploymentId, revision_id: revisionId };
    await interruptRevision(deps, { params }, caller);

    await expect(markUnknown(deps, early)).rejects.toBeInstanceOf(ConditionsFailed);

    expect((await load(deps, ref))?.slotRevision?.status).toBe('DEPLOYING');
  });

  it('by the death of the call that started the build keeps the id that the build itself says', async () => {
    const { deps, ref } = await processing('AWAITING_BUILD');
    deps.builds.state = async () => ({ state: 'running' });

    await recordBuild(deps, { buildId: 'build', ref });

    expect(await getRevisionItem(deps.table, ref)).toMatchObject({ status: 'BUILDING', build_id: 'build' });
  });

  it('by whoever stops the build gives their reason for it', async () => {
    const { deps, ref } = await processing('BUILDING');
    await change(deps, ref, { build_id: 'build' });
    const revision = await getRevisionItem(deps.table, ref);
    deps.builds.state = async () => ({ state: 'stopped' });
    const stopping = () => stopBuild(deps, revision, 'It took too long.');

    await recordBuild(overtaken(deps, stopping), { buildId: 'build', ref });

    const { outcome } = await getRevisionItem(deps.table, ref);
    expect(outcome).toMatchObject({ result: 'failed', message: 'It took too long.' });
  });

  it('by the start of a build does not leave it running beside the next', async () => {
    const { deps, ref } = await processing('AWAITING_BUILD');
    const early = await looked(deps, ref);
    await change(deps, ref, { build_id: 'build' });

    const failing = failBuildOverdue(deps, early);
    await expect(failing).rejects.toBeInstanceOf(ConditionsFailed);
  });

  it('by the next attempt records no failure of the one before', async () => {
    const { deps, ref } = await processing('AWAITING_BUILD');
    const early = await looked(deps, ref);
    await change(deps, ref, { attempt: 2 });

    const failing = failBuildOverdue(deps, early);
    await expect(failing).rejects.toBeInstanceOf(ConditionsFailed);
  });

  it('by the removal of the deployment takes nothing from the queue', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const { tenantId } = world.caller;
    const { id: deploymentId } = await post(world, github('app'));
    const early = await looked(world.deps, { tenantId, deploymentId });
    await transact(world.deps.table, [remove('revision', revisionKey(tenantId, deploymentId, 1))]);

    await takeSlot(world.deps, early, 1);

    expect((await load(world.deps, { tenantId, deploymentId }))?.deployment.slot).toBeUndefined();
  });
});
