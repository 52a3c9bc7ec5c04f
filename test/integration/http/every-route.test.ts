import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { type ErrorCode, errors } from '../../../lib/contract/errors.ts';
import { takesIdempotencyKey } from '../../../lib/contract/routes/route.ts';
import { routes } from '../../../lib/contract/routes.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { isGuarded } from '../../support/http/security-loop.ts';
import { expectConfirmation, expectConsent } from '../../support/wire/consent.ts';
import {
  expectDeletions,
  expectDeployments,
  expectHosts,
  expectImages,
} from '../../support/wire/deployments.ts';
import { expectIdentity } from '../../support/wire/identity.ts';
import { expectIntegrations } from '../../support/wire/integrations.ts';
import { expectListener } from '../../support/wire/listener.ts';
import { expectProviders, expectTokens } from '../../support/wire/oauth.ts';
import { RouteRecord } from '../../support/wire/route-record.ts';
import { openWire } from '../../support/wire/wire.ts';
import { empty, k8s, machine, open, openWithListener } from '../../support/wire/wired-world.ts';
import { auditedActions } from '../../support/world/audit-record.ts';
import { github } from '../../support/world/requests.ts';

/** What all tests of this file asked together; each test waits for the audit of its requests. */
const record = new RouteRecord();

afterEach(() => record.settle());

const NOBODY = '01890000-0000-7000-8000-00000000abcd';
it.each([
  ['deployments and revisions are made, shown, changed, stopped, run again and logged', expectDeployments],
  ['a deployment lets go of its host by either way to a revision', expectHosts],
  ['a tarball is uploaded, and what is not needed any more is deleted', expectDeletions],
  ['a listener works', expectListener],
])('%s', async (_, expectAll) => {
  await expectAll(await openWithListener(record));
});

it('an image is pushed and pulled', async () => {
  await expectImages(await open(record, 'registry.example'));
});

it('the service describes itself to everybody', async () => {
  const { wire } = await open(record);
  expect(await wire.ask('getOk')).toEqual({ ok: true });
  expect(JSON.parse((await wire.ask('getOpenApi')).text)).toMatchObject({ openapi: '3.1.0' });
  const page = (await wire.ask('getDocs')).text;
  const parts = [...page.matchAll(/(?:src|href)="\/docs\/([^"]+)"/g)].map(([, file = '']) => file);
  expect(parts).toHaveLength(3);
  for (const file of parts) await wire.ask('getDocsFile', { params: { file } });
  await wire.ask('openConsole', { params: { tenant_id: NOBODY, deployment_id: NOBODY } });
});

it.each([
  ['keys, members and tenants are made, listed and taken away', expectIdentity],
  ['an integration is made, chosen from and forgotten, and who did what is listed', expectIntegrations],
  ['OAuth providers are made, found, listed, changed and forgotten', expectProviders],
  ['OAuth tokens are brought, listed, connected to agents, and deleted', expectTokens],
  ['a person consents in a browser, or at a front end of the caller’s own', expectConsent],
  ['a consent is confirmed by who asked for it', expectConfirmation],
])('%s', async (_, expectAll) => {
  await expectAll(await open(record));
});

it('a key that is not good, or not good enough, is refused', async () => {
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
});

it('what is not there is refused', async () => {
  const { ask, refused, listenerId: listener_id, listenerKey } = await openWithListener(record);
  const gone = { params: { deployment_id: NOBODY } };
  await refused('deployment_not_found', { id: NOBODY }, 'getDeployment', gone);
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
});

it('a request that cannot be read is refused', async () => {
  const { refused } = await open(record);
  const latin1 = { body: Buffer.from('{"name":"caf\xe9"}', 'latin1') };
  await refused('not_utf8', { where: 'request body' }, 'createListener', latin1);
  const body = { ...machine, version: 'x'.repeat(1024 * 1024) };
  await refused('body_too_large', { sizeBytesMax: 1024 * 1024 }, 'createListener', { body });
  const headers = { 'content-type': 'text/plain' };
  await refused('media_type', { type: 'text/plain' }, 'createListener', { headers, body: 'a listener' });
});

it('a request that contradicts itself or what is there is refused', async () => {
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
});

it('what the state of things forbids is refused', async () => {
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
});

it('what deployments use is kept', async () => {
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
});

it('what is wrong with a query is said to be there', async () => {
  const { ask, apiKey, wire } = await openWithListener(record);
  const { id, latest_revision_id: revision } = await ask('createDeployment', { body: github('a') });
  const path = `/v2/deployments/${id}/revisions/${revision}/logs?type=build&offset=none`;
  const answer = await fetch(wire.url + path, { headers: { 'x-api-key': apiKey } });
  const detail = [expect.objectContaining({ loc: ['query', 'offset'], type: 'value_error' })];
  expect([answer.status, await answer.json()]).toEqual([422, { detail }]);
});

it('a fault of ours is told by its request id alone', async () => {
  const { plane, apiKey } = await open(record);
  const client = documentClient('http://127.0.0.1:9');
  client.send = async () => {
    throw new Error('the name of a table');
  };
  const wire = await openWire({ ...plane.deps, table: { name: 'broken', client } }, record);
  await wire.refuse('internal', {}, 'listDeployments', { key: apiKey });
});

it('what no route takes is refused', async () => {
  const { wire } = await open(record);
  const ask = async (method: string, path: string) => {
    const answer = await fetch(wire.url + path, { method });
    expect(answer.headers.get('x-request-id')).toMatch(/^\S{8,}$/);
    return [answer.status, answer.headers.get('allow'), await answer.json()];
  };
  expect(await ask('GET', '/v2/nothing')).toEqual([404, null, { detail: 'Not found.' }]);
  const detail = 'Method PUT is not allowed here; allowed: GET.';
  expect(await ask('PUT', '/ok')).toEqual([405, 'GET', { detail }]);
  record.refused.add('path_not_found').add('method_not_allowed');
});

/** Refusals that take more than a few requests: the test file that gets each, and the words in it. */
const elsewhere: Partial<Record<ErrorCode, [file: string, words: string]>> = {
  membership_missing: ['test/integration/identity/members.test.ts', 'The user has no part in tenant'],
  listener_closing: ['test/integration/app/listener-deletion.test.ts', 'is being deleted and takes no new'],
  namespace_closing: ['test/integration/app/listener-changes.test.ts', 'is being taken from listener'],
  // The command line's.
  tenant_not_found: ['test/integration/cli/slipway.test.ts', 'Tenant ID'],
  queue_full: ['test/integration/app/contention.test.ts', 'already queued'],
  idempotency_under_way: ['test/integration/http/idempotency-concurrent.test.ts', 'is still being answered'],
  unavailable: ['test/unit/functions/api.test.ts', 'The table does not answer at the moment'],
};

it('every route has succeeded here', () => {
  const operations = routes.map(({ operation }) => operation);
  expect(operations.filter((operation) => !record.succeeded.has(operation))).toEqual([]);
});

it.each(routes.filter(isGuarded).map((row) => [row.operation, row] as const))(
  '%s has the access to the table that it uses, and no other',
  (operation, { access }) => {
    const declared = access.filter((word) => word.startsWith('table:'));
    expect([...record.usedBy(operation)].toSorted()).toEqual(declared.toSorted());
  },
);

it('every change under an Idempotency-Key was answered once more after its answer was lost', () => {
  const keyed = routes.filter(takesIdempotencyKey).map(({ operation }) => operation);
  expect(keyed.length).toBeGreaterThan(15);
  expect(keyed.filter((operation) => !record.answeredAgain.has(operation))).toEqual([]);
});

it('every route that changes or hands out something was found in the audit, by its request id', () => {
  const due = routes.flatMap(({ operation }) =>
    auditedActions(operation).map((action) => `${operation} ${action}`),
  );
  expect(due.length).toBeGreaterThan(30);
  expect(due.filter((each) => !record.audited.has(each))).toEqual([]);
});

it('every refusal was got here, or elsewhere', () => {
  const codes = Object.keys(errors) as ErrorCode[];
  expect(codes.filter((code) => !record.refused.has(code) && !(code in elsewhere))).toEqual([]);
  expect(Object.keys(elsewhere).filter((code) => record.refused.has(code as ErrorCode))).toEqual([]);
  for (const [code, [file, words]] of Object.entries(elsewhere)) {
    expect([code, readFileSync(file, 'utf8').includes(words)]).toEqual([code, true]);
  }
});
