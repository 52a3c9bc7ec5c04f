import { expect } from 'vitest';
import { VALIDATION_CODE } from '../../../lib/contract/errors.ts';
import { github } from '../world/requests.ts';
import type { WireRecord } from './wire.ts';
import { empty, k8s, machine, NOBODY, open, openWithListener } from './wired-world.ts';

/** A key that is not good, or not good enough, is refused. */
export async function expectKeysRefused(record: WireRecord): Promise<void> {
  const { refused, keyOf, tenantId, listenerId, listenerKey } = await openWithListener(record);
  const ofOrganization = await keyOf('admin', 'organization');
  await refused('unauthenticated', {}, 'listDeployments', { key: undefined });
  await refused('tenant_required', {}, 'listDeployments', { key: ofOrganization });
  const headers = { 'x-tenant-id': NOBODY };
  await refused('tenant_forbidden', { tenant: NOBODY }, 'listDeployments', { headers });
  const viewer = { key: await keyOf('viewer'), body: machine };
  await refused('permission_missing', { permission: 'listeners:write' }, 'createListener', viewer);
  const working = { key: listenerKey, params: { listener_id: NOBODY } };
  await refused('listener_forbidden', { id: NOBODY }, 'getDesired', working);
  expect([tenantId, listenerId]).not.toContain(NOBODY);
}

/** A person who is no member of the tenant is refused. */
export async function expectStrangersRefused(record: WireRecord): Promise<void> {
  const identityProvider = { subjectOf: async () => 'mallory' };
  const { refused, tenantId } = await open(record, { identityProvider });
  const headers = { authorization: 'Bearer a-token', 'x-tenant-id': tenantId };
  const request = { key: undefined, headers };
  await refused('membership_missing', { tenant: tenantId }, 'listDeployments', request);
  await refused('membership_none', {}, 'getMe', {
    key: undefined,
    headers: { authorization: 'Bearer a-token' },
  });
}

/** What is not there is refused. */
export async function expectMissing(record: WireRecord): Promise<void> {
  const { ask, refused, listenerId: listener_id, listenerKey } = await openWithListener(record);
  const gone = { params: { deployment_id: NOBODY } };
  await refused('deployment_not_found', { id: NOBODY }, 'getDeployment', gone);
  await refused('deployment_not_found', { id: NOBODY }, 'listDeploymentActivity', gone);
  const { id: deployment_id } = await ask('createDeployment', { body: github('a') });
  const revision = { params: { deployment_id, revision_id: NOBODY } };
  await refused('revision_not_found', { id: NOBODY }, 'getRevision', revision);
  await refused('listener_not_found', { id: NOBODY }, 'getListener', { params: { listener_id: NOBODY } });
  const task = { key: listenerKey, params: { listener_id, task_id: NOBODY }, body: { lease_id: NOBODY } };
  await refused('task_not_found', { id: NOBODY }, 'heartbeatTask', task);
  const source_config = { repo_url: 'https://git.example/a.git', integration_id: NOBODY };
  const body = github('b', { source_config });
  await refused('integration_not_found', { id: NOBODY }, 'createDeployment', { body });
  await refused('api_key_not_found', { id: NOBODY }, 'revokeApiKey', { params: { key_id: NOBODY } });
  await refused('member_not_found', { id: NOBODY }, 'removeMember', { params: { member_id: NOBODY } });
  const pulling = { key: listenerKey, params: { listener_id } };
  await refused('no_registry', {}, 'createRegistryCredentials', pulling);
}

/** A request that cannot be read is refused. */
export async function expectUnreadable(record: WireRecord): Promise<void> {
  const { refused } = await open(record);
  const latin1 = { body: Buffer.from('{"name":"caf\xe9"}', 'latin1') };
  await refused('not_utf8', { where: 'request body' }, 'createListener', latin1);
  const body = { ...machine, version: 'x'.repeat(1024 * 1024) };
  await refused('body_too_large', { sizeBytesMax: 1024 * 1024 }, 'createListener', { body });
  const headers = { 'content-type': 'text/plain' };
  await refused('media_type', { type: 'text/plain' }, 'createListener', { headers, body: 'a listener' });
}

/** What is wrong with a query is said to be there. */
export async function expectBadQuery(record: WireRecord): Promise<void> {
  const { ask, apiKey, wire } = await openWithListener(record);
  const { id, latest_revision_id: revision } = await ask('createDeployment', { body: github('a') });
  const path = `/v2/deployments/${id}/revisions/${revision}/logs?type=build&offset=none`;
  const answer = await fetch(wire.url + path, { headers: { 'x-api-key': apiKey } });
  const detail = [expect.objectContaining({ loc: ['query', 'offset'], type: 'value_error' })];
  expect([answer.status, await answer.json()]).toEqual([422, { detail, code: VALIDATION_CODE }]);
}

/** A request that contradicts itself or what is there is refused. */
export async function expectContradictions(record: WireRecord): Promise<void> {
  const { ask, refused } = await open(record);
  const creating = (body: object) => ['createDeployment', { body }] as const;
  await refused('listener_required', /^'source_config\.listener_id' is required: /, ...creating(github('a')));
  const { id: listener_id } = await ask('createListener', { body: k8s('cluster', 'agents') });
  const { repo_url } = github('a').source_config;
  const elsewhere = { repo_url, listener_id, listener_config: { k8s_namespace: 'other' } };
  await refused('source_configuration', /other/, ...creating(github('a', { source_config: elsewhere })));
  await refused('source_configuration', /^Source/, ...creating(github('a', { source: 'internal_docker' })));
  const { id } = await ask('createDeployment', { body: github('a') });
  const ofIt = { params: { deployment_id: id } };
  await refused('immutable_field', { field: 'name' }, 'patchDeployment', { ...ofIt, body: { name: 'b' } });
  await refused('upload_source', {}, 'createUploadUrl', ofIt);
  await refused('push_source', {}, 'createPushToken', ofIt);
  const other = { ...ofIt, body: {}, headers: { 'if-match': '"7"' } };
  await refused('version_mismatch', { asked: '"7"', current: '"1"' }, 'patchDeployment', other);
}

/** What the state of things forbids is refused. */
export async function expectForbidden(record: WireRecord): Promise<void> {
  const {
    ask,
    refused,
    offer,
    tenantId,
    listenerId: listener_id,
    listenerKey: key,
  } = await openWithListener(record);
  const agent = { agent_id: 'one', environment: 'prod' };
  await ask('createDeployment', { body: github('a', { agent }) });
  await refused('name_taken', { name: 'a' }, 'createDeployment', { body: github('a', { secrets: [] }) });
  const taken = { agentId: 'one', environment: 'prod' };
  await refused('agent_taken', taken, 'createDeployment', { body: github('b', { agent }) });
  await refused('listener_taken', { tenantId, computeId: 'machine' }, 'createListener', { body: machine });
  const { id: deployment_id, latest_revision_id: revision_id } = await ask('createDeployment', {
    body: empty('c'),
  });
  const skipped = { params: { deployment_id, revision_id } };
  await refused('state_forbids', /has finished already: SKIPPED/, 'interruptRevision', skipped);
  await refused('nothing_to_run', { id: revision_id, status: 'SKIPPED' }, 'redeployRevision', skipped);
  await offer('d');
  const { tasks } = await ask('claimTasks', { key, params: { listener_id }, body: { instance_id: 'i' } });
  const task_id = tasks[0]?.task_id ?? '';
  const task = { key, params: { listener_id, task_id }, body: { lease_id: NOBODY } };
  await refused('lease_taken', { id: task_id }, 'heartbeatTask', task);
  const headers = { 'idempotency-key': 'once' };
  await ask('createDeployment', { headers, body: github('e') });
  await refused('idempotency_mismatch', {}, 'createDeployment', { headers, body: github('f') });
}

/** What deployments use is kept. */
export async function expectInUse(record: WireRecord): Promise<void> {
  const { ask, refused } = await open(record);
  const { id: listener_id } = await ask('createListener', { body: k8s('cluster', 'agents') });
  const ofIt = { params: { listener_id } };
  const { repo_url } = github('a').source_config;
  const source_config = {
    repo_url,
    custom_url: 'https://a.example',
    listener_config: { k8s_namespace: 'agents' },
  };
  const { id: deploymentId } = await ask('createDeployment', { body: github('a', { source_config }) });
  const same = { body: github('b', { source_config }) };
  await refused('host_taken', { host: 'a.example', deploymentId }, 'createDeployment', same);
  await refused('listener_in_use', /is used by 1 deployment/, 'deleteListener', ofIt);
  const body = { compute_config: { k8s_namespaces: ['other'] } };
  await refused('namespace_in_use', /'agents' of listener cluster is used/, 'patchListener', {
    ...ofIt,
    body,
  });
}

/** What no route takes is refused. */
export async function expectNoRoute(record: WireRecord): Promise<void> {
  const { wire } = await open(record);
  const ask = async (method: string, path: string) => {
    const answer = await fetch(wire.url + path, { method });
    expect(answer.headers.get('x-request-id')).toMatch(/^\S{8,}$/);
    return [answer.status, answer.headers.get('allow'), await answer.json()];
  };
  expect(await ask('GET', '/v2/nothing')).toEqual([
    404,
    null,
    { detail: 'Not found.', code: 'path_not_found' },
  ]);
  const detail = 'Method PUT is not allowed here; allowed: GET, HEAD.';
  expect(await ask('PUT', '/ok')).toEqual([405, 'GET, HEAD', { detail, code: 'method_not_allowed' }]);
  record.refused.add('path_not_found').add('method_not_allowed');
}
