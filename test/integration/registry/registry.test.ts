import { describe, expect, it } from 'vitest';
import type { Registry } from '../../../lib/adapters/registry.ts';
import { createPushToken } from '../../../lib/features/registry/create-push-token.ts';
import { createRegistryCredentials } from '../../../lib/features/registry/create-registry-credentials.ts';
import { change, post, refusedWith, register, remove } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const HOST = 'registry.example.com';
const NONE =
  '400 Source configuration error: this installation has no image registry; deploy from source (--remote) or give image_uri';

/** Logins that say what they are for. */
const registry: Registry = {
  pushLogin: async ({ tenantId, deploymentId }) => ({
    registryHost: HOST,
    username: 'AWS',
    password: `pushes to ${deploymentId}`,
    expiresAt: '2026-01-01T01:00:00.000Z',
    repository: `${HOST}/slipway/${tenantId}/${deploymentId}`,
  }),
  pullLogin: async (tenantId) => ({
    registryHost: HOST,
    username: 'AWS',
    password: `pulls of ${tenantId}`,
    expiresAt: '2026-01-01T01:00:00.000Z',
  }),
};

async function withCluster(): Promise<World & { listenerId: string }> {
  const world = await aWorld({ registryHost: HOST });
  const { id } = await register(world, 'cluster', { compute_type: 'k8s' });
  return { ...world, deps: { ...world.deps, registry }, listenerId: id };
}

const pushed = { name: 'pushed', source: 'internal_docker', source_config: {}, source_revision_config: {} };

const pushToken = ({ deps, caller }: World, id: string) =>
  createPushToken(
    deps,
    { params: { deployment_id: id }, body: { supports_registry_username: true } },
    caller,
  );

describe('a push token', () => {
  it('is for the repository of one deployment', async () => {
    const world = await withCluster();
    const { id } = await post(world, pushed);
    expect(await pushToken(world, id)).toEqual({
      token: `pushes to ${id}`,
      registry_url: HOST,
      username: 'AWS',
      repository_url: `${HOST}/slipway/${world.caller.tenantId}/${id}`,
    });
    expect(await refusedWith(pushToken(world.as(), id))).toBe(`404 Deployment ID ${id} not found.`);
  });

  it('is refused for what is being deleted', async () => {
    const world = await withCluster();
    const { id } = await post(world, pushed);
    await remove(world, id);
    expect(await refusedWith(pushToken(world, id))).toBe(
      `409 Deployment ${id} is being deleted (AWAITING_DELETE).`,
    );
  });

  it('is refused where there is no registry (any more)', async () => {
    const world = await withCluster();
    const { id } = await post(world, pushed);
    const without = { ...world, deps: { ...world.deps, registry: undefined } };
    expect(await refusedWith(pushToken(without, id))).toBe(NONE);
    const embedded = await aWorld();
    await register(embedded, 'cluster', { compute_type: 'k8s' });
    expect(await refusedWith(post(embedded, pushed))).toBe(NONE);
  });
});

describe('credentials to pull with', () => {
  const credentials = ({ deps, caller }: World, listenerId: string) =>
    createRegistryCredentials(deps, { params: { listener_id: listenerId } }, caller);

  it('are for the images of the listener’s tenant', async () => {
    const world = await withCluster();
    expect(await credentials(world, world.listenerId)).toEqual({
      registry: HOST,
      username: 'AWS',
      password: `pulls of ${world.caller.tenantId}`,
      expires_at: '2026-01-01T01:00:00.000Z',
    });
  });

  it('are 404 where there is no registry, and for a listener that is not there', async () => {
    const world = await withCluster();
    const without = { ...world, deps: { ...world.deps, registry: undefined } };
    expect(await refusedWith(credentials(without, world.listenerId))).toBe(
      '404 This installation has no image registry, so there are no credentials for one.',
    );
    const unknown = world.deps.clock.randomId();
    expect(await refusedWith(credentials(world, unknown))).toBe(`404 Listener ID ${unknown} not found.`);
  });
});

describe('an image in the registry of the installation', () => {
  it('is deployed by the deployment whose repository it is in, and by no other', async () => {
    const world = await withCluster();
    const { id } = await post(world, pushed);
    const other = await post(world, { ...pushed, name: 'other' });
    const imageOf = (deploymentId: string) => ({
      source_revision_config: { image_uri: `${HOST}/slipway/${world.caller.tenantId}/${deploymentId}:1` },
    });
    expect((await change(world, id, imageOf(id))).source_revision_config.image_uri).toContain(id);
    expect(await refusedWith(change(world, id, imageOf(other.id)))).toContain(
      `400 Source configuration error: 'image_uri' is in this installation's registry, but not in this deployment's own repository; push the image to slipway/${world.caller.tenantId}/${id} `,
    );
    const body = { name: 'external', source: 'external_docker', source_config: {}, ...imageOf(id) };
    expect(await refusedWith(post(world, body))).toContain("create it with source 'internal_docker'");
    const free = { source_revision_config: { image_uri: `${HOST}/team/app:1` } };
    await post(world, { ...body, ...free });
  });
});
