import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { ask, creating, start } from '../../support/http/keyed-requests.ts';
import { github } from '../../support/world/requests.ts';

/** What is stored of a deployment, each by its path in the item, and would not be taken today. */
const odd: Record<string, Record<string, unknown>> = {
  'texts that are too long': {
    'config.deployment_type': 'a'.repeat(3000),
    'config.install_command': 'a'.repeat(3000),
    display_name: 'a'.repeat(300),
  },
  'a command that is forbidden': { 'config.build_command': 'make | tee log; $(x)' },
  'a repository on this machine': { 'config.repo_url': 'file:///tmp/somewhere' },
  'a repository in a private network': { 'config.repo_url': 'https://10.0.0.1/o/r.git' },
  'a repository with a password': { 'config.repo_url': 'https://user:password@git.example/o/r' },
  'a ref that git has not': { 'revision_config.repo_ref': '-x..y' },
  'a path out of the source': { 'revision_config.graph_config_path': '../x' },
  'pushes to a tag': { 'config.build_on_push': true, 'revision_config.repo_ref': 'refs/tags/v1' },
  'an image beside a repository': { 'revision_config.image_uri': 'Not An Image' },
  'numbers that are refused': {
    'config.resource_spec': { cpu: 0.01234, memory_mb: 100, min_scale: 3, max_scale: 1 },
  },
  'fields of volumes that are not known': {
    'config.resource_spec': { volumes: [{ hostPath: {} }, {}], cpu: 1 },
  },
  'a spec of another kind': { 'config.resource_spec': { labels: 'a', sidecars: {} } },
  'globs that cannot be read': { 'config.push_paths': ['/a/{b', '../**/**/**/x'] },
  'an address that is none': { 'config.custom_url': 'not an address' },
  'a grace that is too long': { 'config.drain_seconds': 1_000_000 },
  'references to secrets': {
    secret_references: [{ name: 'POSTGRES_URI', secret_name: '', secret_key: 'b' }],
  },
  'a name of a secret and of a reference': {
    secret_references: [{ name: 'A', secret_name: 's', secret_key: 'k' }],
  },
  'an integration that is gone': { 'config.integration_id': '01a1fdde-183f-7459-a5df-eeba818f4fc2' },
  'a configuration that is too large': {
    tracked_packages: { all: Array.from({ length: 60 }, () => 'a'.repeat(2000)) },
  },
};

async function stored(changes: Record<string, unknown>) {
  const { world, apiKey } = await start();
  const secrets = [{ name: 'A', value: 'b' }];
  const made = await ask(world, creating(apiKey, { ...github('once'), secrets }));
  const id = String(made.json.id);
  const { client, name } = world.deps.table;
  for (const [path, value] of Object.entries(changes)) {
    const names = Object.fromEntries(path.split('.').map((part, index) => [`#${index}`, part]));
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: deploymentKey(world.caller.tenantId, id),
        UpdateExpression: `SET ${Object.keys(names).join('.')} = :value`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  }
  const params = { deployment_id: id };
  const get = () => ask(world, { operation: 'getDeployment', apiKey, params });
  const change = (body: unknown, operation = 'patchDeployment') =>
    ask(world, { operation, apiKey, params, body });
  return { get, change };
}

it.each(Object.entries(odd))('what a GET shows can be sent back: %s', async (_, changes) => {
  const { get, change } = await stored(changes);
  const shown = await get();
  expect(shown.statusCode).toBe(200);
  const answer = await change(shown.json);
  expect([answer.statusCode, answer.json.detail]).toEqual([200, undefined]);
  const { source_config, display_name, tracked_packages, secret_references } = (await get()).json;
  expect({ source_config, display_name, tracked_packages, secret_references }).toEqual({
    source_config: shown.json.source_config,
    display_name: shown.json.display_name,
    tracked_packages: shown.json.tracked_packages,
    secret_references: shown.json.secret_references,
  });
  expect(await change((await get()).json, 'createRevision')).toMatchObject({ statusCode: 201 });
});

it('what is not stored is refused beside it, and so is all of it for another deployment', async () => {
  const { get, change } = await stored({
    'config.build_command': 'a|b',
    'config.resource_spec': { cpu: 0.01 },
  });
  const { source_config } = (await get()).json as { source_config: Record<string, unknown> };
  const other = { ...source_config, install_command: 'c|d', resource_spec: { cpu: 0.01, memory_mb: 1 } };
  const locs = ({ json }: { json: Record<string, unknown> }) =>
    (json.detail as { loc: unknown[] }[]).map(({ loc }) => loc.slice(2).join('.'));
  expect(locs(await change({ source_config: other }))).toEqual([
    'install_command',
    'resource_spec.memory_mb',
  ]);
  const plain = await stored({});
  expect(locs(await plain.change({ source_config: other }))).toEqual([
    'install_command',
    'build_command',
    'resource_spec.cpu',
    'resource_spec.memory_mb',
  ]);
});
