import { describe, expect, it } from 'vitest';
import { refOf } from '../../../lib/core/items/revisions.ts';
import { buildRevision } from '../../../lib/core/steps/build.ts';
import { inProgress } from '../../support/world/processed.ts';
import { change, github, interrupt, post, refusedWith, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const IMAGE = { image_uri: 'registry.example.com/app:1' };
const PATH = { graph_config_path: 'apps/a/langgraph.json', langgraph_config_path: 'apps/a/langgraph.json' };
const DEFAULT = { graph_config_path: 'langgraph.json', langgraph_config_path: 'langgraph.json' };
const empty = { source_config: {}, source_revision_config: {} };
const besideImage =
  "400 Source configuration error: 'graph_config_path' does not go with 'image_uri': an image is run as it is.";

async function aPlane(): Promise<World> {
  const world = await aWorld({ registryHost: 'registry.example.com' });
  await register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces: ['one'] } });
  return world;
}

/** What the build of a deployment's oldest queued revision is told. */
async function jobOf({ deps, caller, ...world }: World, id: string) {
  const revision = await inProgress({ deps, caller, ...world }, id);
  await buildRevision(deps, { ...refOf(revision), attempt: 1, token: 'token', retry: 0 });
  return [...deps.builds.jobs.values()].at(-1);
}

describe('the path of the configuration', () => {
  it('as GET shows it makes the same build: left out, posted again or patched back', async () => {
    const world = await aPlane();
    const first = await post(world, github('a'));
    expect(first.source_revision_config).toMatchObject(DEFAULT);
    const again = await post(world, { ...first, name: 'b' });
    const other = await post(world, github('c', { source_revision_config: PATH }));
    await interrupt(world, other.id, other.latest_revision_id);
    await change(world, other.id, { source_revision_config: first.source_revision_config });
    const jobs = [];
    for (const { id } of [first, again, other]) jobs.push(await jobOf(world, id));
    const [job, ...rest] = jobs.map((one) => ({ ...one, deploymentId: '', revisionId: '', buildName: '' }));
    expect(job?.configPath).toBe('langgraph.json');
    expect(rest).toEqual([job, job]);
  });

  it('is refused beside an image, as what else an image has not', async () => {
    const world = await aPlane();
    const image = { ...empty, name: 'a', source_revision_config: { ...IMAGE, ...PATH } };
    expect(await refusedWith(post(world, image))).toBe(
      "400 Source configuration error: 'graph_config_path' does not go with source 'external_docker'.",
    );
    expect(await refusedWith(post(world, { ...image, source: 'internal_docker' }))).toBe(besideImage);
    const { id } = await post(world, { ...image, source_revision_config: IMAGE });
    expect(await refusedWith(change(world, id, { source_revision_config: DEFAULT }))).toMatch(
      /^400 .*'graph_config_path' does not go with source 'external_docker'/,
    );
    const nulls = { graph_config_path: null, langgraph_config_path: null };
    expect(
      (await post(world, { ...image, name: 'b', source_revision_config: { ...IMAGE, ...nulls } })).source,
    ).toBe('external_docker');
  });

  it('of a deployment of images is kept for a tarball until its first image', async () => {
    const world = await aPlane();
    const body = { ...empty, name: 'a', source: 'internal_docker', source_revision_config: PATH };
    const made = await post(world, body);
    expect(made.source_revision_config).toMatchObject(PATH);
    const tarball = { source_tarball_path: await world.upload(made.id) };
    const built = await change(world, made.id, { source_revision_config: tarball });
    expect(built.source_revision_config).toMatchObject({ ...tarball, ...PATH });
    const pushed = await change(world, made.id, { source_revision_config: IMAGE });
    expect(pushed.source_revision_config).toMatchObject({ ...IMAGE, graph_config_path: null });
    expect(await refusedWith(change(world, made.id, { source_revision_config: PATH }))).toBe(besideImage);
  });
});
