import { expect, it } from 'vitest';
import { DURABLE_SINCE } from '../../lib/domain/runtime.ts';
import { api, create, expectApi, patch, type ShownDeployment } from '../support/programs/program.ts';
import { Cluster } from './cluster.ts';
import { imageOn } from './cluster-tests.ts';
import { register } from './installation.ts';
import { COMMIT, FOREIGN_ID, reaches, storeFolder, type Tour } from './tour.ts';

type Login = { token: string; username: string; repository_url: string };
type Credentials = { registry: string; username: string; password: string; expires_at: string };
type Listed = { resources: { id: string; is_default: boolean }[] };

/** What is done to listeners, and the logins to the image registry. */
export function listenerTests(at: () => Tour): void {
  it('gives a login that pushes to one repository, to clients that can use it', async () => {
    const { slipway, clusterId } = at();
    const body = { name: 'pushed', source: 'internal_docker', source_config: { listener_id: clusterId } };
    const made = await expectApi<ShownDeployment>(
      slipway,
      'POST',
      '/v2/deployments',
      { ...body, source_revision_config: {} },
      201,
    );
    const path = `/v2/deployments/${made.id}/push-token`;
    expect(await api(slipway, 'POST', path, {})).toMatchObject({ status: 400 });
    const asked = { supports_registry_username: true };
    const login = await expectApi<Login>(slipway, 'POST', path, asked, 200);
    expect(login).toMatchObject({ username: 'AWS', token: expect.stringMatching(/.+/) });
    expect(login.repository_url).toMatch(new RegExp(`/slipway/${slipway.tenantId}/${made.id}$`));
    const elsewhere = login.repository_url.replace(made.id, FOREIGN_ID);
    const change = { source_revision_config: { image_uri: `${elsewhere}:1` } };
    expect(await api(slipway, 'PATCH', `/v2/deployments/${made.id}`, change)).toMatchObject({ status: 400 });
  });

  it('gives a listener a login that pulls the images of its tenant', async () => {
    const { slipway } = at();
    const listener = await register(slipway, {
      compute_type: 'k8s',
      compute_id: 'puller',
      compute_config: {},
    });
    const path = `/v2/listeners/${listener.id}/registry-credentials`;
    const asListener = { ...slipway, apiKey: listener.apiKey };
    const login = await expectApi<Credentials>(asListener, 'POST', path, undefined, 200);
    expect(login).toMatchObject({ username: 'AWS', password: expect.stringMatching(/.+/) });
    expect(Date.parse(login.expires_at)).toBeGreaterThan(Date.now());
    await expectApi(slipway, 'DELETE', `/v2/listeners/${listener.id}`, undefined, 204);
    expect(await api(asListener, 'POST', path)).toMatchObject({ status: 404 });
  });

  it('changes a listener and deletes it, but not what deployments use', async () => {
    const { slipway, clusterId } = at();
    const { resources } = await expectApi<Listed>(slipway, 'GET', '/v2/listeners', undefined, 200);
    const before = resources.find(({ is_default }) => is_default)?.id ?? '';
    const { id } = await register(slipway, {
      compute_type: 'k8s',
      compute_id: 'other-cluster',
      compute_config: { k8s_namespaces: ['one', 'two'] },
    });
    const path = `/v2/listeners/${id}`;
    const change = { is_default: true, compute_config: { k8s_namespaces: ['one'] } };
    expect(await expectApi(slipway, 'PATCH', path, change, 200)).toMatchObject(change);
    expect(await expectApi(slipway, 'PATCH', path, { is_default: false }, 200)).toMatchObject({
      is_default: false,
    });
    await expectApi(slipway, 'PATCH', `/v2/listeners/${before}`, { is_default: true }, 200);
    await expectApi(slipway, 'DELETE', path, undefined, 204);
    expect(await api(slipway, 'DELETE', `/v2/listeners/${clusterId}`)).toMatchObject({ status: 409 });
  });

  it('lets threads go that wait in a revision of a durable agent', async () => {
    const { slipway } = at();
    const registered = await register(slipway, {
      compute_type: 'process',
      compute_id: 'durable-machine',
      compute_config: {},
    });
    const listener = new Cluster(slipway, registered);
    const repo_url = 'ssh://git@git.example.com/team/durable.git';
    const source_config = { repo_url, runtime: 'durable', listener_id: registered.id };
    const made = await create(slipway, 'durable', repo_url, { source_config });
    const deployedAs = async (revisionId: string) => {
      const build = await slipway.builds.take();
      const job = await slipway.builds.takeJob(build);
      expect(job).toMatchObject({ output: 'folder', durable: 'asked' });
      const exported = await storeFolder(job, Buffer.from(revisionId));
      const said = { ARTIFACT_SERVER: 'langgraph', ARTIFACT_DURABLE: 'true', COMMIT_SHA: COMMIT };
      await slipway.builds.succeed(build, { ...exported, ...said });
      const task = await listener.claim(revisionId, DURABLE_SINCE);
      expect(task).toMatchObject({ runtime: 'durable' });
      await listener.complete(task, 'succeeded', { url: 'http://localhost:4401/d/durable' });
      await reaches(at(), 'DEPLOYED', made, revisionId, 8);
      return task;
    };
    const first = made.latest_revision_id;
    await deployedAs(first);
    const change = { source_revision_config: { repo_ref: 'main' } };
    const { latest_revision_id: second } = await patch(slipway, made.id, change);
    const serving = await deployedAs(second);
    await listener.reportWaiting(serving, first, 2);
    const path = `/v2/deployments/${made.id}`;
    expect(await expectApi(slipway, 'GET', path, undefined, 200)).toMatchObject({
      threads: { revisions: [{ revision_id: first, waiting: 2 }] },
    });
    const release = `${path}/revisions/${first}/release-threads`;
    expect(await expectApi(slipway, 'POST', release, undefined, 202)).toMatchObject({ waiting: 2 });
    expect(await listener.desired(made.id)).toMatchObject({ release_threads: [first] });
    await listener.reportWaiting(serving, first, 0);
    expect(await listener.desired(made.id)).not.toHaveProperty('release_threads');
    await expectApi(slipway, 'DELETE', `${path}?delete_data=true`, undefined, 204);
  });

  it('lets one deployment of a listener have a host', async () => {
    const { slipway, clusterId } = at();
    const make = (name: string) =>
      expectApi<ShownDeployment>(slipway, 'POST', '/v2/deployments', imageOn(clusterId, name), 201);
    const [one, two] = [await make('host-one'), await make('host-two')];
    const claim = ({ id }: ShownDeployment, custom_url: string, verb: 'PATCH' | 'POST' = 'PATCH') =>
      api(slipway, verb, `/v2/deployments/${id}${verb === 'POST' ? '/revisions' : ''}`, {
        source_config: { custom_url },
      });
    expect(await claim(one, 'https://one.example.com')).toMatchObject({ status: 200 });
    expect(await claim(two, 'https://one.example.com')).toMatchObject({ status: 409 });
    expect(await claim(one, '')).toMatchObject({ status: 200 });
    expect(await claim(two, 'https://one.example.com')).toMatchObject({ status: 200 });
    expect(await claim(two, 'https://two.example.com', 'POST')).toMatchObject({ status: 201 });
  });
}
