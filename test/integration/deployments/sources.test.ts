import { describe, expect, it } from 'vitest';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  post,
  postRevision,
  refusedWith,
  register,
  revisions,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const k8s = { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } };
const IMAGE = { image_uri: 'registry.example.com/app:1' };

/** A deployment of each kind on a cluster, in an installation that has a registry. */
async function made(source: string, more: object = {}): Promise<{ world: World; id: string }> {
  const world = await aWorld({ registryHost: 'registry.example.com' });
  await register(world, 'cluster', k8s);
  const empty = { name: 'a', source_config: {}, source_revision_config: {} };
  const { id } = await post(world, { ...empty, source, ...more });
  return { world, id };
}

const newest = async (world: World, id: string) => (await revisions(world, id)).resources[0];

describe('revision_source', () => {
  it('lets a deployment of images come from a tarball once, and back', async () => {
    const { world, id } = await made('internal_docker');
    const tarball = { source_tarball_path: await world.upload(id) };
    const built = await change(world, id, {
      revision_source: 'internal_source',
      source_revision_config: { ...tarball, langgraph_config_path: 'apps/a/langgraph.json' },
      source_config: { install_command: 'make' },
      secrets: [],
    });
    expect(built).toMatchObject({
      source: 'internal_docker',
      source_revision_config: { ...tarball, image_uri: null },
    });
    expect(await newest(world, id)).toMatchObject({ source: 'internal_source', status: 'QUEUED' });
    const pushed = await change(world, id, {
      revision_source: 'internal_docker',
      source_revision_config: IMAGE,
    });
    expect(pushed.source_revision_config).toMatchObject({
      ...IMAGE,
      source_tarball_path: null,
      graph_config_path: null,
    });
    expect(await newest(world, id)).toMatchObject({ source: 'internal_docker', status: 'QUEUED' });
  });

  it('is understood from the field when it is left out', async () => {
    const { world, id } = await made('internal_docker');
    const tarball = { source_tarball_path: await world.upload(id) };
    await change(world, id, { source_revision_config: tarball });
    expect((await newest(world, id))?.source).toBe('internal_source');
    await change(world, id, { source_revision_config: IMAGE });
    expect((await newest(world, id))?.source).toBe('internal_docker');
  });

  it.each([
    ['github', 'internal_source', { source_config: { repo_url: 'https://example.com/a.git' } }],
    ['external_docker', 'internal_source', { source_revision_config: IMAGE }],
    ['internal_source', 'internal_docker', {}],
    ['internal_docker', 'github', {}],
  ])('of a %s deployment cannot be %s', async (source, asked, more) => {
    const { world, id } = await made(source, more);
    expect(await refusedWith(change(world, id, { revision_source: asked, secrets: [] }))).toBe(
      `400 Source configuration error: a revision of a deployment with source '${source}' cannot come from '${asked}'.`,
    );
  });

  it('alone changes nothing', async () => {
    const { world, id } = await made('internal_docker', { source_revision_config: IMAGE });
    const patched = await change(world, id, { revision_source: 'internal_source' });
    expect(patched.source_revision_config).toMatchObject(IMAGE);
    expect((await revisions(world, id)).resources).toHaveLength(1);
  });
});

describe('a request that still leaves nothing to build', () => {
  it('makes a revision that is SKIPPED at once', async () => {
    const { world, id } = await made('internal_source');
    await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    expect(await newest(world, id)).toMatchObject({ status: 'SKIPPED' });
    expect(await postRevision(world, id)).toMatchObject({ status: 'SKIPPED', queue_position: null });
    expect((await revisions(world, id)).resources).toHaveLength(3);
  });

  it('does not hide what ran before it from the next one', async () => {
    const { world, id } = await made('internal_docker');
    const tarball = { source_tarball_path: await world.upload(id) };
    await change(world, id, { source_revision_config: tarball });
    await ended(world, id, 'DEPLOYED');
    expect(await postRevision(world, id, { revision_source: 'internal_docker' })).toMatchObject({
      status: 'SKIPPED',
    });
    const patched = await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    expect(patched.source_revision_config).toMatchObject(tarball);
    expect(await newest(world, id)).toMatchObject({ status: 'QUEUED', source: 'internal_source' });
  });
});

describe('a change of an image', () => {
  it('names the listener’s kind when that cannot run it', async () => {
    const world = await aWorld({ registryHost: 'registry.example.com' });
    await register(world, 'machine');
    const { id } = await post(world, {
      name: 'a',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    });
    expect(await refusedWith(change(world, id, { source_revision_config: IMAGE }))).toBe(
      "400 Source configuration error: 'image_uri' does not go with source 'internal_source'.",
    );
  });

  it('keeps what the configuration has of no kind', async () => {
    const { world, id } = await made('external_docker', { source_revision_config: IMAGE });
    const next = { image_uri: 'registry.example.com/app:2' };
    expect((await change(world, id, { source_revision_config: next })).source_revision_config).toMatchObject(
      next,
    );
    expect(await refusedWith(change(world, id, { source_config: { build_on_push: true } }))).toBe(
      "400 Source configuration error: 'build_on_push' does not go with source 'external_docker'.",
    );
    expect(
      await refusedWith(change(world, id, { source_config: { repo_url: 'https://example.com/a.git' } })),
    ).toBe("400 Source configuration error: 'repo_url' does not go with source 'external_docker'.");
  });
});
