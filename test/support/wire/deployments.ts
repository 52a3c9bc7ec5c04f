import { replaced, waitingIn } from '../world/durable.ts';
import { ended } from '../world/processed.ts';
import { github } from '../world/requests.ts';
import type { WireRecord } from './wire.ts';
import { empty, k8s, machine, open, type openWithListener } from './wired-world.ts';

type Opened = Awaited<ReturnType<typeof open>>;
type Listening = Awaited<ReturnType<typeof openWithListener>>;

/** Each route of deployments, revisions and their logs that deletes nothing, to its success. */
export async function expectDeployments({ world, ask }: Listening): Promise<void> {
  const secrets = [{ name: 'TOKEN', value: 'a-secret' }];
  const { id } = await ask('createDeployment', { body: github('a', { secrets }) });
  const params = { deployment_id: id };
  await ask('getDeployment', { params });
  for (const query of [{ name: 'a' }, {}]) await ask('listDeployments', { query });
  await ask('patchDeployment', { params, body: { source_revision_config: { repo_ref: 'next' } } });
  const { id: revision_id } = await ask('createRevision', { params, body: {} });
  await ask('listRevisions', { params, query: { limit: '1' } });
  const ofRevision = { params: { deployment_id: id, revision_id } };
  await ask('getRevision', ofRevision);
  await ask('interruptRevision', ofRevision);
  const { id: other } = await ask('createRevision', { params, body: {} });
  await ask('interruptRevisionAlias', { params: { deployment_id: id, revision_id: other } });
  const { id: deployed } = await ended(world, id, 'DEPLOYED');
  await ask('redeployRevision', { params: { deployment_id: id, revision_id: deployed } });
  for (const operation of ['queryBuildLogs', 'queryDeployLogs'])
    await ask(operation, { ...ofRevision, body: {} });
  await ask('queryProjectDeployLogs', { params, body: {} });
  await ask('queryRevisionLogs', { ...ofRevision, query: { type: 'build' } });
  await ask('queryDeploymentLogs', { params });
  await ask('listDeploymentActivity', { params });
}

/** A request to a server, and why there is none. */
export async function expectServerAsked(record: WireRecord): Promise<void> {
  const answer = () => ({ status: 200, headers: {}, body: new Blob(['hello']).stream() });
  const serverCaller = async ({ path }: { path: string }) => (path === '/' ? answer() : 'elsewhere');
  const { world, ask, refused } = await open(record, { serverCaller });
  await ask('createListener', { body: machine });
  const { id: deployment_id } = await ask('createDeployment', { body: github('a') });
  const params = { deployment_id };
  await refused('state_forbids', /an address yet/, 'askServer', {
    params,
    body: { method: 'GET', path: '/' },
  });
  await ended(world, deployment_id, 'DEPLOYED');
  await ask('askServer', { params, body: { method: 'GET', path: '/' } });
}

/** Threads wait in a revision that was replaced; they are let go, and wait there no more. */
export async function expectReleases(opened: Listening): Promise<void> {
  const { world, ask, refused, listenerId: listener_id, listenerKey: key } = opened;
  const { id: deployment_id, old, serving } = await replaced({ ...world, listenerId: listener_id });
  const report = (waiting: number) => {
    const threads = [waitingIn(old, waiting)];
    const one = { deployment_id, revision_id: serving, epoch: 5, healthy: true, threads };
    return ask('reportStatus', { key, params: { listener_id }, body: { reports: [one] } });
  };
  await report(2);
  await ask('getDeployment', { params: { deployment_id } });
  const params = { deployment_id, revision_id: old };
  await ask('releaseThreads', { params });
  await ask('getDesired', { key, params: { listener_id } });
  await report(0);
  await refused('state_forbids', /is the one that serves/, 'releaseThreads', {
    params: { deployment_id, revision_id: serving },
  });
}

/** The two requests that take a host from a deployment. */
export async function expectHosts({ ask }: Listening): Promise<void> {
  const { repo_url } = github('a').source_config;
  const at = (custom_url: string) => ({ source_config: { repo_url, custom_url } });
  const without = { source_config: { custom_url: '' } };
  const { id: one } = await ask('createDeployment', { body: github('a', at('https://a.example')) });
  await ask('patchDeployment', { params: { deployment_id: one }, body: without });
  const { id: other } = await ask('createDeployment', { body: github('b', at('https://b.example')) });
  await ask('createRevision', { params: { deployment_id: other }, body: without });
}

/** An upload, each way to delete deployments, and listeners that come and go. */
export async function expectDeletions({ ask }: Listening): Promise<void> {
  const { id: uploaded } = await ask('createDeployment', { body: empty('u') });
  await ask('createUploadUrl', { params: { deployment_id: uploaded } });
  const { id: one } = await ask('createDeployment', { body: github('a') });
  const { id: other } = await ask('createDeployment', { body: github('b') });
  await ask('deleteDeployment', { params: { deployment_id: one } });
  await ask('deleteDeployments', { query: { deployment_ids: other } });
  const { id: listener_id } = await ask('createListener', { body: k8s('cluster', 'agents') });
  await ask('patchListener', { params: { listener_id }, body: { is_default: true } });
  const next = { ...k8s('next', 'agents'), is_default: true };
  const { id: marked } = await ask('createListener', { body: next });
  await ask('patchListener', { params: { listener_id: marked }, body: { is_default: false } });
  await ask('deleteListener', { params: { listener_id } });
}

/** Each route that gives a login to the image registry, to its success. */
export async function expectImages({ ask, refused, keyFor }: Opened): Promise<void> {
  const { id: listener_id } = await ask('createListener', { body: k8s('cluster', 'agents') });
  const { id: deployment_id } = await ask('createDeployment', { body: empty('a', 'internal_docker') });
  const params = { deployment_id };
  await ask('createPushToken', { params, body: { supports_registry_username: true } });
  await refused('push_client', {}, 'createPushToken', { params });
  await ask('createRegistryCredentials', { key: await keyFor(listener_id), params: { listener_id } });
}
