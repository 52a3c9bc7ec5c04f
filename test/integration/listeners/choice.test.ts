import { describe, expect, it } from 'vitest';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { github, listeners, post, refusedWith, register } from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

const k8s = (...k8s_namespaces: string[]) => ({ compute_type: 'k8s', compute_config: { k8s_namespaces } });
const image = {
  name: 'image',
  source_config: {},
  source_revision_config: { image_uri: 'registry.example.com/app:1' },
};

/** Asks for work, which is what makes a listener ONLINE. */
const callIn = ({ deps, caller }: World, listenerId: string) =>
  claimTasks(
    deps,
    { params: { listener_id: listenerId }, body: { instance_id: 'i', max: 1, holding: [], wait_seconds: 0 } },
    caller,
  );

const chosen = async (world: World, name: string): Promise<string | null> =>
  (await post(world, github(name))).source_config.listener_id;

describe('without a listener_id the listener is', () => {
  it('the marked default, else the oldest that is online, else the oldest', async () => {
    const world = await aWorld();
    const [oldest, second, third] = [
      await register(world, 'one'),
      await register(world, 'two'),
      await register(world, 'three'),
    ];
    expect(await chosen(world, 'a')).toBe(oldest.id);
    await callIn(world, third.id);
    await callIn(world, second.id);
    expect(await chosen(world, 'b')).toBe(second.id);
    world.advance(91);
    expect(await chosen(world, 'c')).toBe(oldest.id);
    const marked = await register(world, 'four', { is_default: true });
    await callIn(world, second.id);
    expect(await chosen(world, 'd')).toBe(marked.id);
    const remarked = await register(world, 'five', { is_default: true });
    expect(await chosen(world, 'e')).toBe(remarked.id);
  });

  it('one that can run the source', async () => {
    const world = await aWorld();
    await register(world, 'machine', { is_default: true });
    const cluster = await register(world, 'cluster', k8s('one'));
    expect((await post(world, image)).source_config.listener_id).toBe(cluster.id);
  });

  it('required when there is none, with the reason', async () => {
    const world = await aWorld();
    expect(await refusedWith(post(world, github('a')))).toBe(
      "400 'source_config.listener_id' is required: no listener is registered in this tenant; register one with POST /v2/listeners.",
    );
    await register(world, 'machine');
    expect(await refusedWith(post(world, image))).toBe(
      "400 'source_config.listener_id' is required: no registered listener can run source 'external_docker': they run processes, and an image needs a listener of compute_type 'k8s'.",
    );
  });
});

describe('a listener that is named', () => {
  const on = (listener_id: string, config: object = {}) =>
    github('a', { source_config: { repo_url: 'https://example.com/a.git', listener_id, ...config } });

  it('is taken, in any case of its id', async () => {
    const world = await aWorld();
    await register(world, 'one', { is_default: true });
    const two = await register(world, 'two');
    expect((await post(world, on(two.id.toUpperCase()))).source_config.listener_id).toBe(two.id);
  });

  it('is 404 when it is not there, and when it is another tenant’s', async () => {
    const world = await aWorld();
    await register(world, 'one');
    const foreign = await register(world.as(), 'one');
    for (const id of [world.deps.clock.randomId(), foreign.id]) {
      expect(await refusedWith(post(world, on(id)))).toBe(`404 Listener ID ${id} not found.`);
    }
  });

  it('is 400 for an image when it runs processes, naming the kind that would run it', async () => {
    const world = await aWorld();
    const machine = await register(world, 'machine');
    const body = { ...image, source_config: { listener_id: machine.id } };
    expect(await refusedWith(post(world, body))).toBe(
      "400 Source configuration error: listener machine runs processes and cannot run images, which source 'external_docker' gives; a listener of compute_type 'k8s' would, or deploy from source ('github').",
    );
  });

  it('lists the namespaces there are; the first is the default', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'cluster', k8s('one', 'two'));
    const inNamespace = (k8s_namespace: string) => on(id, { listener_config: { k8s_namespace } });
    expect(await refusedWith(post(world, inNamespace('three')))).toBe(
      "400 Source configuration error: 'k8s_namespace' 'three' is not one of listener cluster's: one, two.",
    );
    const made = await post(world, inNamespace('two'));
    expect(made.source_config.listener_config).toEqual({ k8s_namespace: 'two' });
    const second = await post(world, { ...on(id), name: 'b' });
    expect(second.source_config.listener_config).toEqual({ k8s_namespace: 'one' });
  });
});

describe('listeners', () => {
  it('are listed newest first, page by page, and one compute id is registered once', async () => {
    const world = await aWorld();
    const other = world.as();
    const ids: string[] = [];
    for (let n = 0; n < 25; n++) ids.unshift((await register(world, `machine-${n}`)).id);
    await register(other, 'machine-0');
    const walked: string[] = [];
    for (let offset = 0; ; ) {
      const page = await listeners(world, { limit: '10', offset: String(offset) });
      walked.push(...page.resources.map(({ id }) => id));
      expect(page.offset).toBe(walked.length);
      if (page.resources.length < 10) break;
      offset = page.offset;
    }
    expect(walked).toEqual(ids);
    expect((await listeners(world)).resources).toHaveLength(20);
    expect(await listeners(world, { offset: '500' })).toEqual({ resources: [], offset: 25 });
    expect(await refusedWith(register(world, 'machine-0'))).toBe(
      `409 Listener for workspace ID '${world.caller.tenantId}' and compute ID 'machine-0' already exists.`,
    );
  });

  it('have one default, however many are marked at once', async () => {
    const world = await aWorld();
    await Promise.all(Array.from({ length: 6 }, (_, n) => register(world, `m-${n}`, { is_default: true })));
    const { resources } = await listeners(world);
    expect(resources).toHaveLength(6);
    expect(resources.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  it('show when they last called', async () => {
    const world = await aWorld();
    const { id } = await register(world, 'machine', { version: '1.2.3' });
    const shown = async () => (await listeners(world)).resources[0];
    expect(await shown()).toMatchObject({ status: 'NEVER_SEEN', last_seen_at: null, version: '1.2.3' });
    await callIn(world, id);
    expect(await shown()).toMatchObject({ status: 'ONLINE', last_seen_at: expect.stringMatching(/Z$/) });
    world.advance(91);
    expect((await shown())?.status).toBe('OFFLINE');
  });
});
