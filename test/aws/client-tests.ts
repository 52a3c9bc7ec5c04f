import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { freePort } from '../../lib/processes/free-port.ts';
import { ended, type ShownDeployment, type ShownRevision } from '../support/programs/program.ts';
import { say } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { awsEnvironment } from './aws-environment.ts';
import { root } from './emulator.ts';
import { pushImage } from './registry.ts';
import { storeFolder, type Tour } from './tour.ts';

const END_GRACE_MS = 120_000;

/** The last of the three commands of README's "Deploy to AWS". */
export function firstAgentTests(at: () => Tour): void {
  it('goes from an empty installation to an agent that answers, with one command', async () => {
    const { ground, slipway } = at();
    const lines: string[] = [];
    const place = ['--table', slipway.tableName, '--url', slipway.baseUrl];
    const own = ['--agents-port', String(await freePort()), '--listener-dir', join(ground.folder, 'first')];
    const group = ground.processes.start({
      command: process.execPath,
      args: [join(root, 'bin/slipway.ts'), 'first-agent', ...place, ...own],
      cwd: root,
      environment: childEnvironment({ ...awsEnvironment, AWS_ENDPOINT_URL: ground.emulator.endpoint }),
      onLine: ({ line }) => {
        lines.push(line);
        say(`first-agent: ${line}`);
      },
    });
    const build = await slipway.builds.take();
    const job = await slipway.builds.takeJob(build);
    const { url } = job.source as { url: string }; // a tarball's, see build-job.ts
    const source = Buffer.from(await (await fetch(url)).arrayBuffer());
    await slipway.builds.succeed(build, await storeFolder(job, source));
    const address = await until(
      () => lines.map((line) => /^It answers: (http.+)$/.exec(line)?.[1]).find(Boolean),
      {
        what: 'the first agent to answer',
      },
    );
    expect(await (await fetch(address)).json()).toMatchObject({ version: 'v1' });
    const startedAt = performance.now();
    await ground.processes.stop(group, END_GRACE_MS);
    expect(performance.now() - startedAt).toBeLessThan(END_GRACE_MS);
    expect(await group.exited).toMatchObject({ code: 0 });
  });
}

type Login = { token: string; registry_url: string; username: string; repository_url: string };

/**
 * The flow of a deploy CLI that pushes an image, as raw requests with what such clients send (contract Part
 * 3).
 */
export function imageCliTests(at: () => Tour): void {
  it('takes an image that a deploy CLI has pushed', async () => {
    const { slipway, ground, cluster, clusterId } = at();
    const ask = async <T>(method: string, path: string, expected: number, body?: object): Promise<T> => {
      const response = await fetch(`${slipway.baseUrl}/api-host${path}`, {
        method,
        headers: {
          'X-Api-Key': slipway.apiKey,
          'X-Tenant-ID': slipway.tenantId,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T; // the shapes that the client reads
    };
    const { id } = await ask<ShownDeployment>('POST', '/v2/deployments', 201, {
      name: 'pushed-by-a-cli',
      source: 'internal_docker',
      source_config: { deployment_type: 'dev', listener_id: clusterId },
      source_revision_config: {},
      secrets: [],
    });
    const asked = { supports_registry_username: true };
    const login = await ask<Login>('POST', `/v2/deployments/${id}/push-token`, 200, asked);
    expect(login.repository_url).toContain(login.registry_url.replace(/^https?:\/\//, ''));
    // There is no registry to log in to on the emulator: the image is put there by its owner, under the
    // address that was given.
    const { AWS_REGION: region, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = awsEnvironment;
    const owner = { region, accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
    const push = { ...owner, repository: login.repository_url, sessionToken: '' };
    const digest = await pushImage(ground.emulator, push);
    const image_uri = `${login.repository_url}@${digest}`;
    await ask('PATCH', `/v2/deployments/${id}`, 200, {
      revision_source: 'internal_docker',
      source_revision_config: { image_uri },
      secrets: [],
    });
    const newest = await ask<{ resources: ShownRevision[] }>(
      'GET',
      `/v2/deployments/${id}/revisions?limit=1`,
      200,
    );
    const revisionId = newest.resources[0]?.id ?? '';
    const task = await cluster.claim(revisionId);
    expect(task.artifact).toEqual({ kind: 'image', uri: image_uri });
    await cluster.complete(task, 'succeeded', { url: 'https://pushed.example.com' });
    expect((await ended(slipway, id, revisionId)).status).toBe('DEPLOYED');
    const shown = await ask<ShownDeployment>('GET', `/v2/deployments/${id}`, 200);
    expect(shown.source_config.custom_url).toBe('https://pushed.example.com');
  });
}
