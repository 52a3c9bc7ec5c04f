import { expect } from 'vitest';
import { HostFailed, ListingRefused } from '../../../lib/adapters/repository-lists.ts';
import { fromGitHub, pushPayload } from '../world/git-host.ts';
import { machine, type open } from './wired-world.ts';

const SECRET = 'never-shown';
type Opened = Awaited<ReturnType<typeof open>>;

/** A push makes a revision, which is run again after its deployment has watched another repository. */
async function expectPush(ask: Opened['ask'], integration_id: string): Promise<void> {
  await ask('createListener', { body: machine });
  const source_config = { repo_url: 'https://git.example/a/b', integration_id, build_on_push: true };
  const body = { name: 'pushed', source_config, source_revision_config: {} };
  const { id: deployment_id, latest_revision_id: first } = await ask('createDeployment', { body });
  const of = { deployment_id };
  await ask('interruptRevision', { params: { ...of, revision_id: first } });
  const push = JSON.stringify(pushPayload({ address: source_config.repo_url }));
  await ask('receiveDelivery', {
    ...{ params: { integration_id, type: 'github' }, key: undefined, body: push },
    headers: fromGitHub(push, 'a-push', 'push', SECRET),
  });
  const { latest_revision_id: revision_id } = await ask('getDeployment', { params: of });
  expect(revision_id).not.toBe(first);
  const revision = { params: { ...of, revision_id } };
  expect(await ask('getRevision', revision)).toMatchObject({ cause: { kind: 'push' } });
  await ask('interruptRevision', revision);
  const elsewhere = { source_config: { repo_url: 'https://git.example/a/c' } };
  await ask('patchDeployment', { params: of, body: elsewhere });
  const reason = 'back to what was pushed';
  const again = await ask('redeployRevision', { ...revision, body: { reason } });
  const latest = { params: { ...of, revision_id: again.latest_revision_id } };
  expect(await ask('getRevision', latest)).toMatchObject({
    cause: { kind: 'redeploy', revision_id, reason },
  });
}

/** What a token sees, and what the host may say instead. */
async function expectRepositories({ ask, refused, world }: Opened, integration_id: string): Promise<void> {
  const params = { integration_id };
  const lists = world.deps.repositoryLists;
  const url = 'https://github.com/team/app.git';
  lists.list = async (access) => {
    expect(access).toEqual({ type: 'github', host: 'github.com', token: SECRET });
    return [{ id: 7, owner: 'team', name: 'app', url, defaultBranch: 'main' }];
  };
  const own = { host_integration_id: integration_id, id: 7, owner: 'team', name: 'app', url };
  expect(await ask('listRepositories', { params })).toEqual([{ ...own, default_branch: 'main' }]);
  lists.list = () => Promise.reject(new ListingRefused('github.com does not take the token (HTTP 401)'));
  const reason = `The repositories of integration ${integration_id} cannot be listed: github.com does not take the token (HTTP 401). PATCH /v2/integrations/${integration_id} gives it another token.`;
  await refused('state_forbids', { reason }, 'listRepositories', { params });
  lists.list = () => Promise.reject(new HostFailed('github.com (HTTP 500)'));
  await refused('unavailable', { what: 'github.com (HTTP 500)' }, 'listRepositories', { params });
}

/** Each route of integrations, and the list of who did what, to its success. */
export async function expectIntegrations(opened: Opened): Promise<void> {
  const { ask, refused } = opened;
  const { id: integration_id } = await ask('createIntegration', { body: { type: 'github', token: SECRET } });
  const params = { integration_id };
  await ask('changeIntegration', { params, body: { webhook_secret: SECRET } });
  await ask('listIntegrations');
  expect(await ask('listInstalledIntegrations')).toMatchObject([
    { id: integration_id, installation_id: integration_id },
  ]);
  await expectRepositories(opened, integration_id);
  expect(await ask('testIntegration', { params })).toMatchObject({
    token: { ok: true },
    webhook: { ok: null, last_event: null },
  });
  const webhook = { params: { ...params, type: 'github' }, key: undefined };
  const body = JSON.stringify({ zen: 'Design for failure.' });
  await refused('unauthenticated', {}, 'receiveDelivery', { ...webhook, body });
  const sizeBytesMax = 5 * 1024 * 1024;
  const large = { ...webhook, body: 'x'.repeat(sizeBytesMax + 1) };
  await refused('body_too_large', { sizeBytesMax }, 'receiveDelivery', large);
  const { id } = await ask('receiveDelivery', {
    ...webhook,
    body,
    headers: fromGitHub(body, 'a-delivery', 'ping', SECRET),
  });
  expect((await ask('listDeliveries', { params })).resources).toMatchObject([{ id, event: 'ping' }]);
  await expectPush(ask, integration_id);
  await ask('deleteIntegration', { params });
  await refused('integration_not_found', { id: integration_id }, 'listDeliveries', { params });
  await refused('integration_not_found', { id: integration_id }, 'listRepositories', { params });
  await refused('integration_not_found', { id: integration_id }, 'testIntegration', { params });
  await refused('integration_not_found', { id: integration_id }, 'changeIntegration', { params, body: {} });
  const { resources } = await ask('listAuditEvents', { query: { action: 'integration.delete' } });
  expect(resources).toMatchObject([{ resource_id: integration_id }]);
}
