import { expect, it } from 'vitest';
import { artifactKeyOf, artifactNumberOf, artifactsOf } from '../../lib/domain/file-places.ts';
import { numberOf } from '../../lib/domain/revision-id.ts';
import { redeployRevision } from '../../lib/features/deployments/redeploy.ts';
import { until } from '../support/until.ts';
import { bytes } from '../support/world/blobs.ts';
import { complete } from '../support/world/listening.ts';
import { change, github, post, show, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import * as steps from '../support/world/steps.ts';

/** A world that keeps so many artifacts, in which only those are there that are stored. */
async function keeping(keptArtifacts: number) {
  const world = await aRunningWorld();
  const { deps, blobs } = world;
  deps.settings.keptArtifacts = keptArtifacts;
  const stored = async (deploymentId: string) => {
    const files = await blobs.list(artifactsOf({ tenantId: world.caller.tenantId, deploymentId }));
    return files.map(({ key }) => artifactNumberOf(key)).sort((a, b) => a - b);
  };
  deps.blobs = {
    ...blobs,
    async head(key) {
      const [file] = (await blobs.list(key.slice(0, key.lastIndexOf('/')))).filter((one) => one.key === key);
      return file && { sizeBytes: file.sizeBytes, versionId: undefined };
    },
  };
  const { id, latest_revision_id: first } = await post(world, github('app'));
  await build(world, id, first);
  await steps.deployBuilt(world, id, first);
  return { world, id, first, stored: () => stored(id) };
}

const isBuilt = (world: RunningWorld, revisionId: string) =>
  world.deps.builds.jobs.has(`build-${revisionId}`);

/** Ends a revision's build, which leaves an artifact of ten bytes. */
async function build(world: RunningWorld, deploymentId: string, revisionId: string): Promise<void> {
  await until(() => isBuilt(world, revisionId), { what: `the build of ${revisionId}` });
  const named = { tenantId: world.caller.tenantId, deploymentId, buildName: revisionId };
  await world.blobs.put(artifactKeyOf(named), bytes('ten bytes.'));
  await world.deps.builds.succeed(revisionId);
}

const toMain = async (world: RunningWorld, id: string): Promise<string> =>
  (await change(world, id, { source_revision_config: { repo_ref: 'main' } })).latest_revision_id;

async function changed(world: RunningWorld, id: string): Promise<string> {
  const revisionId = await toMain(world, id);
  await build(world, id, revisionId);
  await steps.deployBuilt(world, id, revisionId);
  return revisionId;
}

async function redeploy(world: RunningWorld, id: string, revisionId: string): Promise<string> {
  const asked = { params: { deployment_id: id, revision_id: revisionId }, query: {}, headers: {} };
  return (await redeployRevision(world.deps, asked, world.caller)).latest_revision_id;
}

it('keeps the newest artifacts and the active one, and builds an older one again when it is asked for', async () => {
  const { world, id, first, stored } = await keeping(2);
  const second = await changed(world, id);
  await changed(world, id);
  await until(async () => (await stored()).join() === '2,3', { what: 'the oldest to be deleted' });
  expect((await show(world, id)).artifacts).toEqual({ count: 2, size_bytes: 20 });

  const fourth = await redeploy(world, id, second);
  await steps.deployBuilt(world, id, fourth);
  expect(isBuilt(world, fourth)).toBe(false);
  const fifth = await toMain(world, id);
  await build(world, id, fifth);
  await complete(world, await steps.claimed(world), 'failed', { previous_serving: true });
  await steps.reaches(world, id, fifth, 'DEPLOY_FAILED');
  expect(await stored()).toEqual([2, 3, 5]);

  const sixth = await redeploy(world, id, first);
  await until(() => isBuilt(world, sixth), { what: 'the build of what is not kept any more' });
  const remark = `The artifact of this revision is no longer stored, so it is built again from commit ${'c'.repeat(40)}.`;
  expect((await showRevision(world, id, sixth)).status_message).toBe(remark);
  expect(world.deps.builds.jobs.get(`build-${sixth}`)).toMatchObject({
    remark,
    source: { commitSha: 'c'.repeat(40) },
  });
  await build(world, id, sixth);
  await steps.deployBuilt(world, id, sixth);
  expect((await showRevision(world, id, sixth)).status_message).toBeNull();
  await until(async () => (await stored()).join() === '5,6', { what: 'what nobody needs to be deleted' });
});

it('keeps what a queued revision will run', async () => {
  const { world, id, first, stored } = await keeping(1);
  const second = await toMain(world, id);
  await until(() => isBuilt(world, second), { what: 'the second build' });
  const third = await redeploy(world, id, first);
  await build(world, id, second);
  await steps.deployBuilt(world, id, second);
  expect(await stored()).toEqual([1, 2]);
  await steps.deployBuilt(world, id, third);
  expect(isBuilt(world, third)).toBe(false);
  expect(await stored()).toEqual([1, 2]);
  const fourth = await changed(world, id);
  await until(async () => (await stored()).length === 1, { what: 'what nobody needs to be deleted' });
  expect(await stored()).toEqual([numberOf(fourth)]);
});

it('ends revisions while files cannot be listed, and deletes what has to go later', async () => {
  const { world, id, stored } = await keeping(1);
  const { list } = world.deps.blobs;
  world.deps.blobs.list = async () => {
    throw new Error('the store of files does not answer');
  };
  await changed(world, id);
  expect(await stored()).toEqual([1, 2]);
  world.deps.blobs.list = list;
  await changed(world, id);
  await until(async () => (await stored()).join() === '3', { what: 'what nobody needs to be deleted' });
});

it('runs nothing that is noted as dropped, though it is not deleted yet', async () => {
  const { world, id, first, stored } = await keeping(1);
  world.deps.blobs.delete = async () => {
    throw new Error('the store of files does not answer');
  };
  await changed(world, id);
  expect(await stored()).toEqual([1, 2]);
  const third = await redeploy(world, id, first);
  await until(() => isBuilt(world, third), { what: 'the build of what is noted as dropped' });
});
