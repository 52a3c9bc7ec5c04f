import { expect, it } from 'vitest';
import { DeployCli, tarball } from '../support/programs/deploy-cli.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deploymentOf,
  expectApi,
  helloFrom,
  patch,
  revisionUntil,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { COMMIT, digest, reaches, storeFolder, type Tour } from './tour.ts';

type LogPage = { logs: { message: string }[] };

/** Sources that are built, and run by the listener program on this machine. */
export function machineTests(at: () => Tour): void {
  let hello: ShownDeployment;

  it('builds a repository into a folder for a machine, and runs it there', async () => {
    const { slipway } = at();
    const secrets = [{ name: 'GREETING', value: 'hello from a secret' }];
    hello = await create(slipway, 'hello', 'ssh://git@git.example.com/team/hello.git', { secrets });
    const build = await slipway.builds.take();
    const ids = { tenantId: slipway.tenantId, deploymentId: hello.id, revisionId: hello.latest_revision_id };
    expect(build.environment).toEqual({
      JOBS_BUCKET_NAME: build.bucketName,
      BUILDER_BUCKET_NAME: expect.stringMatching(/\S/),
      BUILDER_KEY: expect.stringMatching(/\.zip$/),
      SLIPWAY_TENANT_ID: slipway.tenantId,
      SLIPWAY_DEPLOYMENT_ID: hello.id,
      SLIPWAY_REVISION_ID: hello.latest_revision_id,
      SLIPWAY_BUILD_NAME: hello.latest_revision_id,
      SLIPWAY_PLATFORMS: expect.stringMatching(/^linux\/a(md|rm)64$/),
    });
    const job = await slipway.builds.takeJob(build);
    const artifactKey = `artifacts/${slipway.tenantId}/${hello.id}/${hello.latest_revision_id}.tar`;
    expect(job).toMatchObject({
      ...ids,
      output: 'folder',
      artifactKey,
      source: { kind: 'git', ref: 'main' },
    });
    expect(JSON.stringify(job)).not.toContain('hello from a secret');
    await slipway.builds.announce(build, 'IN_PROGRESS');
    await revisionUntil(slipway, hello.id, hello.latest_revision_id, (status) => status === 'BUILDING');
    await slipway.builds.print(build, ['installing', 'GREETING is hello from a secret']);
    const exported = await storeFolder(job, await tarball(await helloFiles('v1')));
    await slipway.builds.succeed(build, { ...exported, COMMIT_SHA: COMMIT });
    await reaches(at(), 'DEPLOYED', hello, hello.latest_revision_id, 8);
    const deployment = await deploymentOf(slipway, hello.id);
    expect(deployment).toMatchObject({
      status: 'READY',
      source_revision_config: { repo_commit_sha: COMMIT },
    });
    expect(await helloFrom(deployment)).toMatchObject({ version: 'v1', greeting: 'hello from a secret' });
  });

  it('shows what a build printed, without its secrets', async () => {
    const { slipway } = at();
    const path = `/v2/deployments/${hello.id}/revisions/${hello.latest_revision_id}/logs?type=build`;
    const page = await until(
      async () => {
        const { logs } = await expectApi<LogPage>(slipway, 'GET', path, undefined, 200);
        return logs.length > 1 && logs;
      },
      { what: 'the lines of the build' },
    );
    expect(page.map(({ message }) => message)).toEqual(['installing', 'GREETING is ***']);
    // Who follows takes a place and leaves it.
    const followed = await fetch(`${slipway.baseUrl}${path}`, {
      headers: { 'x-api-key': slipway.apiKey, accept: 'text/event-stream' },
    });
    expect([followed.status, followed.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await followed.text()).toContain('GREETING is ***');
  });

  it('shows it to clients that ask with a body, and over all revisions of the deployment', async () => {
    const { slipway } = at();
    const asked = `/v1/projects/${hello.id}/revisions/${hello.latest_revision_id}/build_logs`;
    const { logs } = await expectApi<LogPage>(slipway, 'POST', asked, { query: 'installing' }, 200);
    expect(logs).toMatchObject([{ message: 'installing' }]);
    const followed = await fetch(`${slipway.baseUrl}/v2/deployments/${hello.id}/logs?type=build`, {
      headers: { 'x-api-key': slipway.apiKey, accept: 'text/event-stream' },
    });
    expect(await followed.text()).toContain('GREETING is ***');
  });

  it('deploys again what was built, without a build', async () => {
    const { slipway } = at();
    const builds = await slipway.builds.count();
    const path = `/v2/deployments/${hello.id}/revisions/${hello.latest_revision_id}/redeploy?secrets=current`;
    const { latest_revision_id: again } = await expectApi<ShownDeployment>(slipway, 'POST', path, {}, 200);
    await reaches(at(), 'DEPLOYED', hello, again, 6);
    expect(await helloFrom(await deploymentOf(slipway, hello.id))).toMatchObject({ version: 'v1' });
    expect(await slipway.builds.count()).toBe(builds);
  });

  it('keeps the newest artifact, and builds an older one again when it is asked for', async () => {
    const { slipway } = at();
    const built = async (revisionId: string, version: 'v1' | 'v2') => {
      const build = await slipway.builds.take();
      const job = await slipway.builds.takeJob(build);
      const exported = await storeFolder(job, await tarball(await helloFiles(version)));
      await slipway.builds.succeed(build, { ...exported, COMMIT_SHA: COMMIT });
      await reaches(at(), 'DEPLOYED', hello, revisionId, 8);
      const deployment = await deploymentOf(slipway, hello.id);
      expect(await helloFrom(deployment)).toMatchObject({ version });
      expect(deployment).toMatchObject({
        artifacts: { count: 1, size_bytes: Number(exported.ARTIFACT_SIZE_BYTES) },
      });
      return job;
    };
    const change = { source_revision_config: { repo_ref: 'main' } };
    const { latest_revision_id: second } = await patch(slipway, hello.id, change);
    expect(await built(second, 'v2')).not.toHaveProperty('remark');
    const path = `/v2/deployments/${hello.id}/revisions/${hello.latest_revision_id}/redeploy`;
    const { latest_revision_id: third } = await expectApi<ShownDeployment>(slipway, 'POST', path, {}, 200);
    expect(await built(third, 'v1')).toMatchObject({
      remark: expect.stringContaining(`built again from commit ${COMMIT}`),
      source: { commitSha: COMMIT },
    });
  });

  it('stops a build that is interrupted', async () => {
    const { slipway } = at();
    const { latest_revision_id: next } = await patch(slipway, hello.id, {
      source_revision_config: { repo_ref: 'next' },
    });
    const build = await slipway.builds.take();
    // An interrupt that came before the build is known by its id would end the revision first.
    await slipway.builds.announce(build, 'IN_PROGRESS');
    await revisionUntil(slipway, hello.id, next, (status) => status === 'BUILDING');
    const path = `/v2/deployments/${hello.id}/revisions/${next}/interrupt`;
    await expectApi(slipway, 'POST', path, undefined, 200);
    await reaches(at(), 'INTERRUPTED', hello, next, 8);
    expect((await slipway.builds.record(build.id)).buildStatus).toBe('STOPPED');
  });

  it('takes an uploaded source from a deploy CLI', async () => {
    const { slipway } = at();
    const cli = new DeployCli(slipway, '/api-host');
    const content = await tarball(await helloFiles('v2'));
    const building = async () => {
      const build = await slipway.builds.take();
      const job = await slipway.builds.takeJob(build);
      const { url, sha256 } = job.source as { url: string; sha256: string }; // a tarball's, see build-job.ts
      const fetched = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect([digest(fetched), digest(content)]).toEqual([sha256, sha256]);
      await slipway.builds.succeed(build, await storeFolder(job, fetched));
    };
    const [{ deployment, revision }] = await Promise.all([
      cli.deploy({ name: 'uploaded', content }),
      building(),
    ]);
    expect(revision).toMatchObject({ status: 'DEPLOYED' });
    expect(await helloFrom(deployment)).toMatchObject({ version: 'v2' });
  });
}
