import { describe, expect, it } from 'vitest';
import { offerTask } from '../../../lib/core/engine/deploys.ts';
import { load } from '../../../lib/core/engine/load.ts';
import type { Revision } from '../../../lib/core/items/items.ts';
import { getSpec } from '../../../lib/features/listener-protocol/spec.ts';
import { claim, type Listening } from '../../support/world/listening.ts';
import { inProgress } from '../../support/world/processed.ts';
import { change, github, post, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

const HOST = 'registry.example.com';
const IMAGE = 'ghcr.io/acme/app:1';

async function withCluster(): Promise<Listening> {
  const world = await aWorld({ registryHost: HOST });
  return { ...world, listenerId: (await register(world, 'cluster', { compute_type: 'k8s' })).id };
}

/** What the listener is told of a deployment's oldest queued revision, by its task and when it asks. */
async function told(world: Listening, id: string, artifact?: Revision['artifact']) {
  await inProgress(world, id, 'AWAITING_DEPLOY', artifact === undefined ? {} : { artifact });
  const loaded = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
  if (loaded === undefined) throw new Error('no deployment');
  await offerTask(world.deps, loaded);
  const [task] = (await claim(world)).tasks;
  const params = { listener_id: world.listenerId, deployment_id: id };
  const spec = await getSpec(world.deps, { params }, world.caller);
  expect(task).toMatchObject(spec);
  return spec;
}

const repository = (resource_spec: object) =>
  github('a', { source_config: { repo_url: 'https://example.com/repo.git', resource_spec } });

const image = (resource_spec: object) => ({
  name: 'a',
  source_config: { resource_spec },
  source_revision_config: { image_uri: IMAGE },
});

it('a spec has the time to drain as it is by now, whatever the revision had', async () => {
  const world = await withCluster();
  const { id } = await post(world, repository({}));
  const artifact = { kind: 'image', uri: IMAGE } as const;
  expect(await told(world, id, artifact)).toMatchObject({ drain_seconds: null });
  const params = { listener_id: world.listenerId, deployment_id: id };
  for (const drain_seconds of [600, 0]) {
    const { latest_revision_id } = await change(world, id, { source_config: { drain_seconds } });
    const spec = await getSpec(world.deps, { params }, world.caller);
    expect(spec).toMatchObject({ revision_id: latest_revision_id, drain_seconds });
  }
});

it('a spec has the start and the health check that its own revision had', async () => {
  const world = await withCluster();
  const artifact = { kind: 'image', uri: IMAGE } as const;
  const set = { start_command: 'gunicorn a:app', health_check: { path: '/health', timeout_seconds: 60 } };
  const source_config = { repo_url: 'https://example.com/repo.git', ...set };
  const { id } = await post(world, github('a', { source_config }));
  expect(await told(world, id, artifact)).toMatchObject(set);
  await change(world, id, { source_config: { start_command: '', health_check: { path: '/other' } } });
  const params = { listener_id: world.listenerId, deployment_id: id };
  expect(await getSpec(world.deps, { params }, world.caller)).toMatchObject(set);
});

it('a spec says what an image was built for, where that is known', async () => {
  const world = await withCluster();
  const built = { kind: 'image', uri: IMAGE, platforms: ['linux/arm64'] } as const;
  const made = await post(world, repository({}));
  expect(await told(world, made.id, { ...built, platforms: [...built.platforms] })).toMatchObject({
    artifact: built,
  });
});

describe('a spec tells what the artifact runs, and whether it has workers of a queue', () => {
  it.each([
    ['langgraph', {}, { server: 'langgraph', queue: false }],
    // What is filled in for a queue was not sent.
    ['langgraph', { cpu: 1, min_scale: 2 }, { server: 'langgraph', queue: false }],
    ['langgraph', { queue_max_scale: 3 }, { server: 'langgraph', queue: true }],
    ['other', { queue_max_scale: 3 }, { server: 'other', queue: false }],
    // Built before builds said so.
    [undefined, { cpu: 1 }, { server: 'other', queue: false }],
    [undefined, { redis_memory_mb: 256 }, { server: 'langgraph', queue: false }],
  ] as const)('built as %s with %j', async (server, sent, expected) => {
    const artifact = { kind: 'image', uri: IMAGE, ...(server !== undefined && { server }) } as const;
    const world = await withCluster();
    const { id } = await post(world, repository(sent));
    expect(await told(world, id, artifact)).toMatchObject(expected);
  });

  it.each([
    [{}, { server: 'other', queue: false }],
    [{ db_storage_gi: 10 }, { server: 'langgraph', queue: false }],
    [{ queue_cpu: 0.5 }, { server: 'langgraph', queue: true }],
  ])('of an image that is given, by %j', async (sent, expected) => {
    const world = await withCluster();
    const { id } = await post(world, image(sent));
    expect(await told(world, id)).toMatchObject(expected);
  });

  it('of an image that was pushed to us', async () => {
    const world = await withCluster();
    const empty = { name: 'a', source: 'internal_docker', source_config: {}, source_revision_config: {} };
    const { id } = await post(world, empty);
    const image_uri = `${HOST}/slipway/${world.caller.tenantId}/${id}:1`;
    await change(world, id, { source_revision_config: { image_uri } });
    expect(await told(world, id)).toMatchObject({ server: 'langgraph', queue: false });
  });
});
