import { describe, expect, it } from 'vitest';
import { managedListenerId } from '../../../lib/core/items/managed.ts';
import { createApiKey } from '../../../lib/features/api-keys/create.ts';
import { deleteListener } from '../../../lib/features/listeners/delete.ts';
import { createTenant } from '../../../lib/features/tenants/create.ts';
import { change, github, listeners, post, refusedWith, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const aManagingWorld = (): Promise<World> => aWorld({ managedCompute: 'ecs' });
const chosen = async (world: World, name: string): Promise<string | null> =>
  (await post(world, github(name))).source_config.listener_id;
const withSpec = (resource_spec: object) => ({
  source_config: { repo_url: 'https://example.com/repo.git', resource_spec },
});

describe('the managed listener', () => {
  it('is made with a tenant, without anything of it asking for work, and is there at once', async () => {
    const world = await aManagingWorld();
    const tenant = await createTenant(world.deps, { body: { name: 'team' } }, world.caller);
    const { resources } = await listeners(world.as({ tenantId: tenant.id }));
    expect(resources).toMatchObject([
      { id: managedListenerId(tenant.id), compute_type: 'ecs', compute_id: 'fargate', status: 'ONLINE' },
    ]);
    expect(await chosen(world.as({ tenantId: tenant.id }), 'a')).toBe(managedListenerId(tenant.id));
  });

  it('is made at the first deployment of a tenant that was there before, named or not', async () => {
    const world = await aManagingWorld();
    const other = world.as();
    for (const each of [world, other]) expect((await listeners(each)).resources).toEqual([]);
    const id = managedListenerId(world.caller.tenantId);
    expect(await chosen(world, 'a')).toBe(id);
    expect(await chosen(world, 'b')).toBe(id);
    const named = managedListenerId(other.caller.tenantId);
    await post(other, github('a', { source_config: { ...withSpec({}).source_config, listener_id: named } }));
    expect((await listeners(other)).resources).toMatchObject([{ id: named }]);
  });

  it('comes behind the marked default, and before one that is not online', async () => {
    const world = await aManagingWorld();
    const own = await register(world, 'machine', { is_default: true });
    expect(await chosen(world, 'a')).toBe(own.id);
    expect((await listeners(world)).resources).toHaveLength(2);
    const later = world.as();
    await register(later, 'machine');
    expect(await chosen(later, 'a')).toBe(managedListenerId(later.caller.tenantId));
  });

  it('is not there where the installation manages nothing', async () => {
    const world = await aWorld();
    const tenant = await createTenant(world.deps, { body: { name: 'team' } }, world.caller);
    expect((await listeners(world.as({ tenantId: tenant.id }))).resources).toEqual([]);
    expect(await refusedWith(post(world, github('a')))).toContain('no listener is registered');
  });

  it('is not deleted and gets no key', async () => {
    const world = await aManagingWorld();
    await chosen(world, 'a');
    const id = managedListenerId(world.caller.tenantId);
    const params = { listener_id: id };
    expect(await refusedWith(deleteListener(world.deps, { params }, world.caller))).toMatch(
      /^409 Listener fargate is part of this installation/,
    );
    const body = { role: 'listener', name: 'k', listener_id: id, scope: 'tenant' } as const;
    expect(await refusedWith(createApiKey(world.deps, { body }, world.as({ role: 'admin' }).caller))).toMatch(
      /^409 Listener fargate is part of this installation/,
    );
  });
});

describe('a deployment on Fargate is refused', () => {
  const wishes: [field: string, value: unknown][] = [
    ['volumes', [{ name: 'v', emptyDir: {} }]],
    ['volume_mounts', [{ name: 'v', mountPath: '/v' }]],
    ['init_containers', [{ name: 'c', image: 'i' }]],
    ['sidecars', [{ name: 'c', image: 'i' }]],
    ['image_pull_secrets', [{ name: 's' }]],
    ['service_account_name', 'robot'],
    ['annotations', { a: 'b' }],
  ];

  it.each(wishes)('with %s, at create and at a change, with what to do instead', async (field, value) => {
    const world = await aManagingWorld();
    const { id } = await post(world, github('a'));
    const body = withSpec({ [field]: value });
    const words = new RegExp(
      `^400 Source configuration error: listener fargate runs on Fargate, which has no '${field}' of resource_spec; .+k8s`,
    );
    expect(await refusedWith(post(world, github('b', body)))).toMatch(words);
    expect(await refusedWith(change(world, id, body))).toMatch(words);
  });

  it('with secret_references', async () => {
    const world = await aManagingWorld();
    const secret_references = [{ name: 'A', secret_name: 's', secret_key: 'k' }];
    const words =
      /^400 .*runs on Fargate and has no secrets of its own to refer to; send the values as 'secrets'/;
    expect(await refusedWith(post(world, github('a', { secret_references })))).toMatch(words);
    const { id } = await post(world, github('a'));
    expect(await refusedWith(change(world, id, { secret_references }))).toMatch(words);
  });

  it('not with empty lists, nor with what Fargate has', async () => {
    const world = await aManagingWorld();
    const spec = {
      volumes: [],
      sidecars: [],
      annotations: {},
      cpu: 0.5,
      memory_mb: 1024,
      labels: { a: 'b' },
    };
    await expect(post(world, github('a', withSpec(spec)))).resolves.toBeDefined();
  });
});
