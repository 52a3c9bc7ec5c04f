import { expect, it } from 'vitest';
import { anOAuthProvider } from '../../support/oauth/provider.ts';
import { WireRecord } from '../../support/wire/wire.ts';
import { machine, open, openWithListener } from '../../support/wire/wired-world.ts';
import { offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import { github } from '../../support/world/requests.ts';

/**
 * Names that mean something to JavaScript, to the table's client or to our own store; as JSON, for a literal
 * would set the prototype.
 */
const TEXT =
  '{"constructor":"a","__proto__":{"x":1,"constructor":[2,{"__proto__":null}]},"toString":1,"hasOwnProperty":true,"":"e","#json":"{}","length":2}';
const hostile: object = JSON.parse(TEXT);
const TEXTS = '{"constructor":"a","__proto__":"b","#json":"{}","toString":"c"}';

const container = { name: 'c', image: 'i:1', securityContext: hostile };
const resource_spec = {
  cpu: 1,
  labels: hostile,
  annotations: hostile,
  volumes: [{ name: 'v', emptyDir: hostile }],
  sidecars: [{ ...container, env: [{ name: 'E', valueFrom: hostile }], envFrom: [hostile] }],
  init_containers: [{ ...container, resources: { limits: hostile, requests: hostile } }],
};
const { repo_url } = github('a').source_config;
const source_config = { repo_url, resource_spec };

/**
 * Objects as lists of their members: matchers look past keys that every object seems to have, and the table
 * keeps no order.
 */
function members(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(members);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, member]) => [key, members(member)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The part of an answer at this path. */
function partOf(answer: unknown, ...path: string[]): unknown {
  let part: unknown = answer;
  for (const name of path) part = Object.entries(Object(part) as object).find(([key]) => key === name)?.[1];
  return members(part);
}

const SPEC = members(resource_spec);
const specOf = (answer: unknown): unknown => partOf(answer, 'source_config', 'resource_spec');

it('a deployment keeps the keys of free-form objects, whatever they are called', async () => {
  const { world, ask } = await openWithListener(new WireRecord());
  const body = github('a', { source_config, tracked_packages: [hostile] });
  const made = await ask('createDeployment', { body });
  const params = { deployment_id: made.id };
  const shown = await ask('getDeployment', { params });
  expect([specOf(made), specOf(shown)]).toEqual([SPEC, SPEC]);
  expect(partOf(shown, 'tracked_packages')).toEqual([members(hostile)]);
  const { resources } = await ask('listDeployments');
  expect(specOf(resources[0])).toEqual(SPEC);
  const { id: revision_id } = await ended(world, made.id, 'DEPLOYED');
  const changed = await ask('patchDeployment', {
    params,
    body: { source_config: { resource_spec: { cpu: 2 } } },
  });
  expect(partOf(changed, 'source_config', 'resource_spec')).toEqual([['cpu', 2]]);
  const { latest_revision_id: again } = await ask('redeployRevision', { params: { ...params, revision_id } });
  const revision = { params: { ...params, revision_id: again }, query: { include: 'configuration' } };
  expect(partOf(await ask('getRevision', revision), 'configuration', 'resource_spec')).toEqual(SPEC);
  // The same again is no other deployment.
  expect(await ask('createDeployment', { body: github('b', { source_config }) })).toMatchObject({
    id: (await ask('createDeployment', { body: github('b', { source_config }) })).id,
  });
});

it('a listener is given them as they are', async () => {
  const { world, ask, listenerId, listenerKey: key } = await openWithListener(new WireRecord());
  const { id: deployment_id } = await offered({ ...world, listenerId }, 'a', [], { source_config });
  const params = { listener_id: listenerId };
  const { tasks } = await ask('claimTasks', { key, params, body: { instance_id: 'i' } });
  const spec = await ask('getSpec', { key, params: { ...params, deployment_id } });
  const { cpu: _, ...free } = resource_spec;
  for (const [name, sent] of Object.entries(free)) {
    expect([name, partOf(tasks[0], 'resource_spec', name)]).toEqual([name, members(sent)]);
    expect([name, partOf(spec, 'resource_spec', name)]).toEqual([name, members(sent)]);
  }
});

it('a compute_config keeps them, and can be changed', async () => {
  const { ask } = await open(new WireRecord());
  const sent = { ...hostile, k8s_namespaces: [] };
  const body = { ...machine, compute_config: sent };
  const made = await ask('createListener', { body });
  const params = { listener_id: made.id };
  const changed = await ask('patchListener', { params, body: { compute_config: { ...sent, more: 1 } } });
  const again = await ask('patchListener', { params, body: { version: '2' } });
  const configs = [made, changed, again].map((answer) => partOf(answer, 'compute_config'));
  const more = members({ ...sent, more: 1 });
  expect(configs).toEqual([members(sent), more, more]);
});

it('a provider and a token keep them', async () => {
  const { ask } = await open(new WireRecord());
  const { authUrl: auth_url, tokenUrl: token_url } = await anOAuthProvider();
  const named = { provider_id: 'idp', name: 'n', client_id: 'c', client_secret: 's', auth_url, token_url };
  const provider = await ask('createProvider', {
    body: { ...named, authorization_params: JSON.parse(TEXTS) },
  });
  expect(partOf(provider, 'authorization_params')).toEqual(members(JSON.parse(TEXTS)));
  expect(
    partOf(await ask('getProvider', { params: { provider_id: 'idp' } }), 'authorization_params'),
  ).toEqual(members(JSON.parse(TEXTS)));
  const brought = { provider_id: 'idp', access_token: 'x', metadata: hostile };
  const token = await ask('importToken', { body: brought });
  expect(partOf(token, 'metadata')).toEqual(members(hostile));
  const params = { token_id: token.id };
  expect(
    partOf(await ask('changeTokenMetadata', { params, body: { is_default: true } }), 'metadata'),
  ).toEqual(members(hostile));
  const authenticated = await ask('authenticate', { body: { provider: 'idp', scopes: [] } });
  expect(partOf(authenticated, 'metadata')).toEqual(members(hostile));
});

it.each([
  ['a number that is too large', '1e300'],
  ['too many levels', `${'['.repeat(20)}${']'.repeat(20)}`],
  ['a long text', `"${'x'.repeat(3000)}"`],
])('%s is refused under such a name as under any other', async (_what, value) => {
  const { apiKey, wire } = await openWithListener(new WireRecord());
  for (const key of ['__proto__', 'constructor', 'usual']) {
    const body = JSON.stringify(
      github('a', { source_config: { repo_url, resource_spec: { labels: {} } } }),
    ).replace('"labels":{}', `"labels":{"${key}":${value}}`);
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(`${wire.url}/v2/deployments`, { method: 'POST', headers, body });
    expect([key, answer.status, await answer.json()]).toMatchObject([
      key,
      422,
      { detail: [{ loc: ['body', 'source_config', 'resource_spec', 'labels'] }] },
    ]);
  }
});

it.each(['{"a":1}', 'null'])(
  'a parameter of that name is a text like any other, and not %s',
  async (value) => {
    const { apiKey, wire } = await open(new WireRecord());
    const body = `{"provider_id":"a","name":"n","client_id":"c","auth_url":"https://a.example","token_url":"https://a.example","authorization_params":{"__proto__":${value}}}`;
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const answer = await fetch(`${wire.url}/v2/auth/providers`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'authorization_params', '__proto__'], type: 'string_type' }] },
    ]);
  },
);
