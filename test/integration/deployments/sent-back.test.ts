import { describe, expect, it } from 'vitest';
import { ended } from '../../support/world/processed.ts';
import { change, github, post, redeploy, refusedWith, register, show } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const REGISTRY = '123456789012.dkr.ecr.eu-central-1.amazonaws.com';

async function made(body: object): Promise<{ world: World; id: string }> {
  const world = await aWorld();
  await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
  return { world, id: (await post(world, { ...github('a'), ...body })).id };
}

describe('what is stored', () => {
  it('is not refused when it is sent back, though it would be refused as new by now', async () => {
    const { world, id } = await made({ source_config: { repo_url: 'file:///srv/app' } });
    world.deps.settings = { ...world.deps.settings, allowFileRepositories: false };
    expect((await change(world, id, await show(world, id))).source_config.repo_url).toBe('file:///srv/app');
    const other = { source_config: { repo_url: 'file:///srv/other' } };
    expect(await refusedWith(change(world, id, other))).toMatch(/^422 .*file:/);
  });

  it('is not, if it is an image in what became the registry of the installation', async () => {
    const image = `${REGISTRY}/slipway/another/app:1`;
    const { world, id } = await made({ source_config: {}, source_revision_config: { image_uri: image } });
    world.deps.settings = { ...world.deps.settings, registryHost: REGISTRY };
    expect((await change(world, id, await show(world, id))).source_revision_config.image_uri).toBe(image);
    const other = { source_revision_config: { image_uri: `${REGISTRY}/slipway/another/app:2` } };
    expect(await refusedWith(change(world, id, other))).toMatch(/^400 .*own repository/);
  });

  it('is not, if a rollback to a tag left pushes to a branch asked for, which no push can come to', async () => {
    const { world, id } = await made({ source_revision_config: { repo_ref: 'refs/tags/v1' } });
    const tagged = await ended(world, id, 'DEPLOYED');
    await change(world, id, {
      source_config: { build_on_push: true },
      source_revision_config: { repo_ref: 'main' },
    });
    await redeploy(world, id, tagged.id);
    await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    await change(world, id, await show(world, id));
    expect(
      await refusedWith(change(world, id, { source_revision_config: { repo_ref: 'refs/tags/v2' } })),
    ).toMatch(/^400 .*needs a branch/);
  });
});
