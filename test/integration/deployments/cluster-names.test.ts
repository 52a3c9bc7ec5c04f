import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../../lib/contract/errors.ts';
import { deploymentKey } from '../../../lib/store/keys/index.ts';
import { change, github, post, register, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const odd = {
  labels: { 'my label': 'a', team: 'a b', 'slipway.dev/set': 'x' },
  annotations: { '-x/y': 'any text at all', good: 'a\nb' },
  service_account_name: 'Agent',
  image_pull_secrets: [{ name: 'good' }, { name: 'my_key' }],
  volumes: [{ name: 'Data', emptyDir: {} }],
  volume_mounts: [{ name: 'Data' }],
  sidecars: [{ name: 'side_car', image: 'i', env: [{ name: 'A=B', value: 's3cret' }] }],
};

/** Each place of `odd` that a cluster refuses. */
const places = [
  'labels.my label',
  'labels.team',
  'labels.slipway.dev/set',
  'annotations.-x/y',
  'service_account_name',
  'image_pull_secrets.1.name',
  'volumes.0.name',
  'volume_mounts.0.mountPath',
  'sidecars.0.name',
  'sidecars.0.env.0.name',
].map((place) => `body.source_config.resource_spec.${place}`);

const withSpec = (resource_spec: object) => ({ source_config: { resource_spec } });

async function aDeployment(kind: 'k8s' | 'process', spec: object = {}) {
  const world = await aWorld();
  const config = { compute_config: { k8s_namespaces: ['agents'] } };
  await register(world, 'here', { compute_type: kind, ...(kind === 'k8s' && config) });
  const body = github('app');
  return {
    world,
    make: (more = spec) =>
      post(world, { ...body, source_config: { ...body.source_config, resource_spec: more } }),
  };
}

/** The places that a request is refused for. */
const refused = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof ValidationError)) throw error;
      expect(JSON.stringify(error.items)).not.toContain('s3cret');
      return error.items.map(({ loc }) => loc.join('.'));
    },
  );

/** As a release without these checks has stored it. */
async function store({ deps, caller }: World, id: string, resource_spec: object): Promise<void> {
  const { client, name } = deps.table;
  await client.send(
    new UpdateCommand({
      TableName: name,
      Key: deploymentKey(caller.tenantId, id),
      UpdateExpression: 'SET config.resource_spec = :spec',
      ExpressionAttributeValues: { ':spec': resource_spec },
    }),
  );
}

describe('names in a resource_spec', () => {
  it('are refused where a cluster would refuse them, each at its place', async () => {
    const { world, make } = await aDeployment('k8s');
    expect(await refused(make(odd))).toEqual(places);
    const { id } = await make({});
    expect(await refused(change(world, id, withSpec(odd)))).toEqual(places);
  });

  it('mean nothing on another listener', async () => {
    const { world, make } = await aDeployment('process');
    const { id } = await make(odd);
    expect((await change(world, id, withSpec(odd))).source_config.resource_spec).toEqual(odd);
  });

  it('that are stored are taken when they are sent back, and no other of the kind', async () => {
    const { world, make } = await aDeployment('k8s');
    const { id } = await make({});
    await store(world, id, odd);
    const { source_config } = await show(world, id);
    expect(await refused(change(world, id, { source_config }))).toEqual([]);
    expect(await refused(change(world, id, withSpec({ ...odd, cpu: 1 })))).toEqual([]);
    const other = { ...odd, service_account_name: 'Other', labels: { ...odd.labels, 'new label': '' } };
    expect(await refused(change(world, id, withSpec(other)))).toEqual([
      'body.source_config.resource_spec.labels.new label',
      'body.source_config.resource_spec.service_account_name',
    ]);
  });
});
