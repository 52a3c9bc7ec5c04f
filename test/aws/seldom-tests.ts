import { expect, it } from 'vitest';
import { tarball } from '../support/programs/deploy-cli.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  api,
  create,
  deploymentOf,
  ended,
  expectApi,
  type Installation,
  revisionOf,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import { register } from './installation.ts';
import type { Tour } from './tour.ts';

type Listed<T> = { resources: T[] };
const REPOSITORY = 'ssh://git@git.example.com/team/hello.git';
const TIMEOUT_MS = 240_000;

async function byName(slipway: Installation, name: string): Promise<ShownDeployment> {
  const path = `/v2/deployments?name=${name}`;
  const { resources } = await expectApi<Listed<ShownDeployment>>(slipway, 'GET', path, undefined, 200);
  const [found] = resources;
  if (found === undefined) throw new Error(`There is no deployment ${name}`);
  return found;
}

/** What people do seldom, once each: whatever a function may do is done by the end of the run. */
export function seldomTests(at: () => Tour): void {
  it('tells what people did, and what needs somebody', async () => {
    const { slipway } = at();
    const told = (path: string) =>
      expectApi<Listed<{ deployment?: { id: string } | null }>>(slipway, 'GET', path, undefined, 200);
    const { resources } = await told('/v2/activity');
    const id = resources.find(({ deployment }) => deployment)?.deployment?.id;
    expect((await told(`/v2/deployments/${id}/activity`)).resources.length).toBeGreaterThan(0);
    await told('/v2/attention');
  });

  it('makes keys, tenants and members, lists them and takes them back', async () => {
    const { slipway } = at();
    const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
      expectApi<T>(slipway, method, path, body, status);
    const body = { name: 'of a person', role: 'viewer', service_user: true };
    const made = await ask<{ id: string; key: string }>('POST', '/v2/api-keys', body, 201);
    const theirs = { ...slipway, apiKey: made.key };
    expect(await api(theirs, 'GET', '/v2/deployments')).toMatchObject({ status: 200 });
    const keys = await ask<Listed<{ id: string }>>('GET', '/v2/api-keys', undefined, 200);
    expect(keys.resources.map(({ id }) => id)).toContain(made.id);
    await ask('DELETE', `/v2/api-keys/${made.id}`, undefined, 204);
    expect(await api(theirs, 'GET', '/v2/deployments')).toMatchObject({ status: 401 });
    const ofAll = { name: 'of all', role: 'viewer', scope: 'organization' };
    const wide = await ask<{ key: string }>('POST', '/v2/api-keys', ofAll, 201);
    expect(await api({ ...slipway, apiKey: wide.key }, 'GET', '/v2/me')).toMatchObject({ status: 200 });
    const bound = { name: 'of the cluster', role: 'listener', listener_id: at().clusterId };
    await ask('POST', '/v2/api-keys', bound, 201);
    const tenant = await ask<{ id: string }>('POST', '/v2/tenants', { name: 'another' }, 201);
    const tenants = await ask<Listed<{ id: string }>>('GET', '/v2/tenants', undefined, 200);
    expect(tenants.resources.map(({ id }) => id)).toContain(tenant.id);
    const member = await ask<{ id: string }>(
      'POST',
      '/v2/members',
      { user_id: 'somebody', role: 'viewer' },
      201,
    );
    const members = await ask<Listed<{ id: string }>>('GET', '/v2/members', undefined, 200);
    expect(members.resources.map(({ id }) => id)).toEqual([member.id]);
    await ask('DELETE', `/v2/members/${member.id}`, undefined, 204);
  });

  it('makes a rule for jobs of CI, and takes no token of an issuer that does not answer', async () => {
    const { slipway } = at();
    const ask = <T>(method: string, path: string, body: object | undefined, status: number) =>
      expectApi<T>(slipway, method, path, body, status);
    const issuer = 'https://ci.invalid';
    const wish = { name: 'deploys', issuer, repository_id: '7', role: 'developer' };
    const rule = await ask<{ id: string }>('POST', '/v2/token-rules', wish, 201);
    expect(await ask('GET', '/v2/token-rules', undefined, 200)).toMatchObject({
      resources: [{ id: rule.id }],
    });
    expect(await ask('GET', `/v2/token-rules/${rule.id}`, undefined, 200)).toMatchObject(wish);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: issuer })}.AAAA`;
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    };
    const asked = (subject_token: string) =>
      fetch(`${slipway.baseUrl}/v2/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...form, subject_token }),
      });
    expect((await asked(token)).status).toBe(503);
    expect((await asked('none')).status).toBe(400);
    await ask('DELETE', `/v2/token-rules/${rule.id}`, undefined, 204);
  });

  it('gives a listener again what it runs, and takes its word that a deploy failed, and what it counts', async () => {
    const { slipway, cluster, clusterId } = at();
    const secrets = [{ name: 'TOKEN', value: 'said by the listener' }];
    const source_config = { listener_id: clusterId };
    const image_uri = `registry.example.com/team/agent@sha256:${'b'.repeat(64)}`;
    const body = {
      name: 'fails',
      source: 'external_docker',
      source_config,
      source_revision_config: { image_uri },
      secrets,
    };
    const made = await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201);
    // The same once more, as clients do whose connection broke: it is the same deployment.
    const again = await expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', body, 201);
    expect(again.id).toBe(made.id);
    const task = await cluster.claim(made.latest_revision_id);
    // What it says while it waits is masked, too, and shown until the end.
    await cluster.heartbeat(task, 'starting', { status_message: 'waits for said by the listener' });
    const waiting = await revisionOf(slipway, made.id, made.latest_revision_id);
    expect(waiting.status_message).toBe('waits for ***');
    const failed = { status_message: 'it died of said by the listener' };
    expect(await cluster.complete(task, 'failed', failed)).toEqual({ accepted: true });
    const revision = await ended(slipway, made.id, made.latest_revision_id, TIMEOUT_MS);
    expect([revision.status, revision.status_message]).toEqual(['DEPLOY_FAILED', 'it died of ***']);
    const path = `/v1/projects/${made.id}/revisions/${made.latest_revision_id}/deploy_logs`;
    const { logs } = await expectApi<{ logs: { message: string }[] }>(slipway, 'POST', path, {}, 200);
    expect(logs.map(({ message }) => message)).toContain('it died of ***');
    await cluster.count(task, 3);
    const metrics = await expectApi(slipway, 'GET', `/v2/deployments/${made.id}/metrics`, undefined, 200);
    expect(metrics).toMatchObject({ source: 'listener', total: [{ requests: { all: 3 } }] });
    const exposed = await fetch(`${slipway.baseUrl}/v2/metrics`, {
      headers: { 'x-api-key': slipway.apiKey },
    });
    expect(await exposed.text()).toContain(
      'slipway_http_requests_failed_total{service_name="fails",service_version="1"} 0',
    );
  });

  it('ends a revision whose repository cannot be reached, and one whose build fails', async () => {
    const { slipway } = at();
    const secrets = [{ name: 'TOKEN', value: 'a secret of the build' }];
    const unreachable = await create(slipway, 'unreachable', 'https://nothing.invalid/a.git', { secrets });
    const lost = await ended(slipway, unreachable.id, unreachable.latest_revision_id, TIMEOUT_MS);
    expect(lost.status).toBe('BUILD_FAILED');
    const made = await create(slipway, 'does-not-build', REPOSITORY, { secrets });
    const build = await slipway.builds.take();
    await slipway.builds.succeed(build, { FAILURE_REASON: 'npm ci exited with code 1' });
    const revision = await ended(slipway, made.id, made.latest_revision_id, TIMEOUT_MS);
    expect([revision.status, revision.status_message]).toEqual(['BUILD_FAILED', 'npm ci exited with code 1']);
    // In front of the queue stands what no build ends; then all of it goes with the deployment.
    const path = `/v2/deployments/${made.id}`;
    for (const value of ['one', 'two', 'three']) {
      await expectApi(slipway, 'POST', `${path}/revisions`, { secrets: [{ name: 'TOKEN', value }] }, 200 + 1);
    }
    await slipway.builds.take();
    const { resources } = await expectApi<Listed<{ id: string }>>(
      slipway,
      'GET',
      `${path}/revisions`,
      undefined,
      200,
    );
    const response = await fetch(`${slipway.baseUrl}${path}/revisions/${resources[0]?.id}/interrupt`, {
      method: 'POST',
      headers: { 'x-api-key': slipway.apiKey, 'idempotency-key': 'stop it' },
    });
    expect(response.status).toBe(200);
    // Functions reach no server of a listener's machine, and say so.
    await expectApi(slipway, 'POST', `${path}/server-requests`, { method: 'GET', path: '/ok' }, 409);
    await expectApi(slipway, 'DELETE', path, undefined, 204);
    const isGone = async () => (await api(slipway, 'GET', path)).status === 404;
    await until(isGone, { what: 'the deployment to be gone' });
  });

  it('makes a revision of an upload by its own route, and deletes what it left', async () => {
    const { slipway, machine } = at();
    const uploaded = await byName(slipway, 'uploaded');
    const path = `/v2/deployments/${uploaded.id}`;
    const upload = await expectApi<{ upload_url: string; object_path: string }>(
      slipway,
      'POST',
      `${path}/upload-url`,
      undefined,
      200,
    );
    const body = new Uint8Array(await tarball(await helloFiles('v3')));
    expect((await fetch(upload.upload_url, { method: 'PUT', body })).status).toBe(200);
    const source_revision_config = { source_tarball_path: upload.object_path };
    await expectApi(slipway, 'POST', `${path}/revisions`, { source_revision_config }, 201);
    const build = await slipway.builds.take();
    await slipway.builds.succeed(build, { FAILURE_REASON: 'no start script' });
    const asListener = { ...slipway, apiKey: machine.apiKey };
    const specOf = ({ id }: ShownDeployment) =>
      expectApi<{ artifact: { url: string }; environment: object[] }>(
        asListener,
        'GET',
        `/v2/listeners/${machine.id}/deployments/${id}/spec`,
        undefined,
        200,
      );
    expect((await fetch((await specOf(uploaded)).artifact.url)).status).toBe(200);
    const { environment } = await specOf(await byName(slipway, 'hello'));
    expect(environment).toContainEqual({ name: 'GREETING', value: 'hello from a secret' });
    await until(async () => (await deploymentOf(slipway, uploaded.id)).status === 'READY', {
      what: 'the revision to end',
    });
    await expectApi(slipway, 'DELETE', path, undefined, 204);
    const isGone = async () => (await api(slipway, 'GET', path)).status === 404;
    await until(isGone, { what: 'the deployment to be gone' });
  });

  it('masks why a person wants a revision, and why a listener says that one is not well', async () => {
    const { slipway, machine } = at();
    const hello = await byName(slipway, 'hello');
    const active = hello.active_revision_id ?? '';
    const path = `/v2/deployments/${hello.id}/revisions`;
    const body = { reason: 'because of hello from a secret' };
    const redeploy = async () => {
      const answer = await api(slipway, 'POST', `${path}/${active}/redeploy`, body);
      expect(answer.status).toBeLessThan(300);
      return answer.body as ShownDeployment; // as the route answers
    };
    await redeploy();
    const waiting = await redeploy();
    await api(slipway, 'POST', `${path}/${waiting.latest_revision_id}/interrupt`, body);
    const { resources } = await expectApi<Listed<{ status: string; cause: object }>>(
      slipway,
      'GET',
      path,
      undefined,
      200,
    );
    expect(resources[0]?.cause).toMatchObject({ reason: 'because of ***' });
    await until(async () => (await deploymentOf(slipway, hello.id)).active_revision_id !== active, {
      what: 'the new revision to serve',
    });
    const asListener = { ...slipway, apiKey: machine.apiKey };
    const desired = await expectApi<{
      deployments: { deployment_id: string; epoch: number; revision_id: string }[];
    }>(asListener, 'GET', `/v2/listeners/${machine.id}/desired`, undefined, 200);
    const row = desired.deployments.find(({ deployment_id: id }) => id === hello.id);
    for (const said of [{ healthy: false, reason: 'it lost hello from a secret' }, { healthy: true }]) {
      const reports = [
        { deployment_id: hello.id, epoch: row?.epoch, revision_id: row?.revision_id, ...said },
      ];
      await expectApi(asListener, 'POST', `/v2/listeners/${machine.id}/status`, { reports }, 200);
    }
  });

  it('passes the mark of the default listener on', async () => {
    const { slipway } = at();
    const other = { compute_type: 'process', compute_id: 'other', compute_config: {}, is_default: true };
    const { id } = await register(slipway, other);
    const shown = await expectApi(slipway, 'GET', `/v2/listeners/${id}`, undefined, 200);
    expect(shown).toMatchObject({ is_default: true });
    await expectApi(slipway, 'DELETE', `/v2/listeners/${id}`, undefined, 204);
  });
}
