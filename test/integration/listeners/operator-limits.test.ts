import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { listenerKey, listenerRowKey } from '../../../lib/store/keys/index.ts';
import { change, changeListener, github, listeners, post, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const root = { sidecars: [{ name: 'root', image: 'i', securityContext: { privileged: true } }] };
const nonRoot = { sidecars: [{ name: 'helper', image: 'i', securityContext: { runAsUser: 1000 } }] };

const cluster = (world: World, config: object = {}) =>
  register(world, 'cluster', {
    compute_type: 'k8s',
    compute_config: { k8s_namespaces: ['agents'], ...config },
  });

const withSpec = (resource_spec: object, more: object = {}) => {
  const { source_config, ...body } = github('app');
  return { ...body, source_config: { ...source_config, resource_spec, ...more } };
};

/** As a release without `pod_security` has stored it. */
async function forget({ deps, caller }: World, id: string): Promise<void> {
  const { client, name } = deps.table;
  for (const Key of [listenerKey(caller.tenantId, id), listenerRowKey(caller.tenantId, id)])
    await client.send(
      new UpdateCommand({ TableName: name, Key, UpdateExpression: 'REMOVE compute_config.pod_security' }),
    );
}

/** The text of a refusal with 400; undefined: nothing was refused. */
const refusalOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      const { status, message } = error as { status: number; message: string }; // refusals are errors
      expect(status).toBe(400);
      return message;
    },
  );

describe('pod_security of a listener', () => {
  it('is baseline unless something else is asked for, in a cluster', async () => {
    const world = await aWorld();
    expect((await cluster(world)).compute_config).toMatchObject({ pod_security: 'baseline' });
    const strict = await register(world, 'strict', {
      compute_type: 'k8s',
      compute_config: { pod_security: 'restricted' },
    });
    expect(strict).toMatchObject({ compute_config: { pod_security: 'restricted' }, warnings: [] });
    const machine = await register(world, 'machine', { compute_type: 'process' });
    expect(machine).toMatchObject({ warnings: [] });
    expect(machine.compute_config).not.toHaveProperty('pod_security');
  });

  it('is privileged where a listener was registered before, which it is warned of', async () => {
    const world = await aWorld();
    await forget(world, (await cluster(world)).id);
    const [{ warnings, compute_config } = {}] = (await listeners(world)).resources;
    expect(compute_config).not.toHaveProperty('pod_security');
    expect(warnings).toEqual([expect.stringMatching(/root on a node.*baseline or restricted/)]);
    await post(world, withSpec(root));
  });

  it('stays where a change of the configuration says nothing of it', async () => {
    const world = await aWorld();
    const { id } = await cluster(world, { pod_security: 'restricted' });
    const config = { k8s_namespaces: ['agents'], region: 'eu' };
    const kept = { compute_config: { ...config, pod_security: 'restricted' } };
    expect(await changeListener(world, id, { compute_config: config })).toMatchObject(kept);
    const unsaid = { ...config, pod_security: null };
    expect(await changeListener(world, id, { compute_config: unsaid })).toMatchObject(kept);
    const loose = { ...config, pod_security: 'privileged' };
    expect(await changeListener(world, id, { compute_config: loose })).toMatchObject({
      compute_config: loose,
    });
  });

  it('refuses a deployment by field, when it is made and when it is changed', async () => {
    const world = await aWorld();
    await cluster(world);
    const refused =
      /listener cluster does not allow this\. 'source_config\.resource_spec\.sidecars\[0\]\.securityContext\.privileged': true is refused: .*pod_security baseline/;
    expect(await refusalOf(post(world, withSpec(root)))).toMatch(refused);
    const { id } = await post(world, withSpec(nonRoot));
    expect(await refusalOf(change(world, id, { source_config: { resource_spec: root } }))).toMatch(refused);
  });

  it('lets what was taken before run on, and refuses its next revision', async () => {
    const world = await aWorld();
    const listener = await cluster(world, { pod_security: 'privileged' });
    const { id, name } = await post(world, withSpec(root));
    await changeListener(world, listener.id, { compute_config: { pod_security: 'restricted' } });
    expect(await change(world, id, { display_name: 'Mine' })).toMatchObject({ name });
    const next = { source_revision_config: { repo_ref: 'main' } };
    expect(await refusalOf(change(world, id, next))).toContain('pod_security restricted');
    const mended = { ...next, source_config: { resource_spec: { sidecars: [] } } };
    expect(await refusalOf(change(world, id, mended))).toBeUndefined();
  });
});

describe('what else an operator limits', () => {
  it('are volumes, ServiceAccounts and hosts, each by field', async () => {
    const world = await aWorld();
    await cluster(world, {
      allowed_volumes: ['emptyDir'],
      allowed_service_accounts: [],
      allowed_hosts: ['*.agents.example.com'],
    });
    const spec = { volumes: [{ name: 'key', secret: { secretName: 'own' } }], service_account_name: 'admin' };
    const said = await refusalOf(post(world, withSpec(spec, { custom_url: 'https://other.example.com' })));
    for (const field of [
      'resource_spec.volumes[0].secret',
      'resource_spec.service_account_name',
      'custom_url',
    ])
      expect(said).toContain(`'source_config.${field}':`);
    const { id } = await post(world, withSpec({}, { custom_url: 'https://a.agents.example.com' }));
    const elsewhere = { source_config: { custom_url: 'b.example.com' } };
    expect(await refusalOf(change(world, id, elsewhere))).toContain(
      "'source_config.custom_url': host b.example.com",
    );
  });
});
