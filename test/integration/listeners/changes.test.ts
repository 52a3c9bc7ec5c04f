import { describe, expect, it } from 'vitest';
import { findDeployment } from '../../../lib/core/items/deployments.ts';
import { findListener } from '../../../lib/core/items/listeners.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import { interruptedAt } from '../../support/table/stepwise.ts';
import { claim, listening } from '../../support/world/listening.ts';
import {
  changeListener,
  github,
  listeners,
  post,
  refusal,
  refusedWith,
  register,
  remove,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const cluster = (world: World, ...k8s_namespaces: string[]) =>
  register(world, 'cluster', { compute_type: 'k8s', compute_config: { k8s_namespaces } });

const inNamespace = (k8s_namespace: string, name = 'a') =>
  github(name, {
    source_config: { repo_url: 'https://example.com/a.git', listener_config: { k8s_namespace } },
  });

const shown = async (world: World, id: string) =>
  (await listeners(world)).resources.find((listener) => listener.id === id);

const outcomeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'made',
    (error: unknown) => (error as Error).message, // refusals are errors
  );

describe('a change of a listener', () => {
  it('keeps what is absent, clears a version with an empty one, and is seen in the list at once', async () => {
    const world = await aWorld();
    const own = { k8s_namespaces: ['one'], region: 'eu' };
    const { id } = await register(world, 'cluster', {
      compute_type: 'k8s',
      compute_config: own,
      version: '1',
    });
    world.advance(5);
    const first = await changeListener(world, id, { version: '2', compute_config: null });
    expect(first).toMatchObject({ version: '2', compute_config: own, is_default: false });
    expect(first.updated_at > first.created_at).toBe(true);
    expect(await shown(world, id)).toEqual(first);
    const second = await changeListener(world, id, { version: '' });
    expect(second.version).toBeNull();
    expect(await shown(world, id)).toEqual(second);
    expect(await changeListener(world, id, {})).toMatchObject({ version: null, compute_config: own });
    const marks = (await allItems(world.deps.table)).flatMap(({ audit }) => audit ?? []);
    expect(marks).toEqual([
      expect.objectContaining({ action: 'listener.change', key_id: world.caller.keyId }),
    ]);
  });

  it('replaces the compute_config; without namespaces these stay', async () => {
    const world = await aWorld();
    const own = { k8s_namespaces: ['one'], region: 'eu' };
    const { id } = await register(world, 'cluster', { compute_type: 'k8s', compute_config: own });
    const platforms = ['linux/arm64'];
    const changed = await changeListener(world, id, { compute_config: { platforms } });
    expect(changed.compute_config).toEqual({ platforms, k8s_namespaces: ['one'], pod_security: 'baseline' });
    const config = { k8s_namespaces: ['two', 'one'] };
    expect((await changeListener(world, id, { compute_config: config })).compute_config).toEqual({
      ...config,
      pod_security: 'baseline',
    });
    expect((await post(world, inNamespace('two'))).source_config.listener_config).toEqual({
      k8s_namespace: 'two',
    });
  });

  it('takes back what a GET showed', async () => {
    const world = await aWorld();
    const { id } = await cluster(world, 'one');
    const before = await shown(world, id);
    const { updated_at: _, ...same } = await changeListener(world, id, before);
    expect(before).toMatchObject(same);
  });

  it.each([
    ['compute_type', { compute_type: 'process' }],
    ['compute_id', { compute_id: 'other' }],
  ])('refuses another %s', async (field, body) => {
    const world = await aWorld();
    const { id } = await cluster(world);
    expect(await refusedWith(changeListener(world, id, body))).toBe(
      `400 '${field}' cannot be changed after creation.`,
    );
  });

  it('is 404 for a listener that is not there, and for another tenant’s', async () => {
    const world = await aWorld();
    const { id } = await cluster(world);
    expect(await refusedWith(changeListener(world.as(), id, {}))).toBe(`404 Listener ID ${id} not found.`);
  });

  it('loses nothing of changes that are made at the same time', async () => {
    const world = await aWorld();
    const { id } = await cluster(world, 'one');
    const bodies = [
      { version: '2' },
      { compute_config: { region: 'eu' } },
      { is_default: true },
      { compute_config: { region: 'eu' }, version: '2' },
    ];
    await Promise.all(bodies.map((body) => changeListener(world, id, body)));
    expect(await shown(world, id)).toMatchObject({
      version: '2',
      is_default: true,
      compute_config: { region: 'eu', k8s_namespaces: ['one'] },
    });
  });
});

describe('the default mark', () => {
  const marked = async (world: World) =>
    (await listeners(world)).resources.filter(({ is_default }) => is_default).map(({ id }) => id);

  it('goes from one to the other, and can be taken away', async () => {
    const world = await aWorld();
    const one = await register(world, 'one', { is_default: true });
    const two = await register(world, 'two');
    await changeListener(world, two.id, { is_default: true });
    expect(await marked(world)).toEqual([two.id]);
    await changeListener(world, two.id, { is_default: true });
    await changeListener(world, one.id, { is_default: false });
    expect(await marked(world)).toEqual([two.id]);
    await changeListener(world, two.id, { is_default: false });
    expect(await marked(world)).toEqual([]);
    await changeListener(world, one.id, { is_default: true });
    expect(await marked(world)).toEqual([one.id]);
  });

  it('is on one at most, however many are marked and unmarked at once', async () => {
    const world = await aWorld();
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await register(world, `m-${n}`)).id);
    for (let round = 0; round < 5; round++) {
      await Promise.all(ids.map((id, n) => changeListener(world, id, { is_default: (n + round) % 3 !== 0 })));
      expect((await marked(world)).length).toBeLessThanOrEqual(1);
    }
    await changeListener(world, ids[0] ?? '', { is_default: true });
    expect(await marked(world)).toEqual([ids[0]]);
  });
});

const leavingText = (namespace: string): string =>
  `Namespace '${namespace}' is being removed from listener cluster and takes no new deployments; choose another namespace, or patch the listener's k8s_namespaces again if that was interrupted.`;

describe('a namespace', () => {
  const take = (world: World, id: string) =>
    changeListener(world, id, { compute_config: { k8s_namespaces: ['stays'] } });

  it('cannot be taken away while a deployment is in it, also one that is being deleted', async () => {
    const world = await aWorld();
    const { id } = await cluster(world, 'goes', 'stays', 'free');
    const made = await post(world, inNamespace('goes'));
    await post(world, inNamespace('stays', 'b'));
    const text = `409 Namespace 'goes' of listener cluster is used by deployment 'a' (${made.id}); delete it first.`;
    expect(await refusedWith(take(world, id))).toBe(text);
    await remove(world, made.id);
    expect(await refusedWith(take(world, id))).toBe(text);
    const config = { k8s_namespaces: ['goes', 'stays'] };
    expect((await changeListener(world, id, { compute_config: config })).compute_config).toEqual({
      ...config,
      pod_security: 'baseline',
    });
  });

  it('is never left with a deployment in it, at whatever moment of the change a create comes', async () => {
    const seen: string[] = [];
    for (let at = 0; seen.at(-1) !== 'over'; at++) {
      const world = await aWorld();
      const { id } = await cluster(world, 'goes', 'stays');
      let created = 'not tried';
      const { deps, calls } = interruptedAt(world.deps, at, async () => {
        created = await outcomeOf(post(world, inNamespace('goes')));
        await post(world, inNamespace('stays', 'b'));
      });
      const changed = await outcomeOf(take({ ...world, deps }, id));
      if (calls() <= at) seen.push('over');
      else seen.push(created);
      const left = await findListener(world.deps.table, world.caller.tenantId, id);
      expect(left?.closing).toBeUndefined();
      expect(left?.k8s_namespaces.includes('goes')).toBe(created === 'made');
      expect(changed === 'made').toBe(created !== 'made');
    }
    expect(new Set(seen)).toEqual(new Set(['made', leavingText('goes'), 'over']));
  });

  it('is never left with a deployment in it when many come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const world = await aWorld();
      const { id } = await cluster(world, 'goes', 'stays');
      const creates = Array.from({ length: 4 }, (_, n) =>
        post(world, inNamespace('goes', `d-${n}`)).then(
          (made) => made.id,
          () => undefined,
        ),
      );
      const back = { compute_config: { k8s_namespaces: ['goes', 'stays'] } };
      const changes = [
        outcomeOf(take(world, id)),
        outcomeOf(changeListener(world, id, back)),
        outcomeOf(take(world, id)),
      ];
      const made = (await Promise.all(creates)).filter((one) => one !== undefined);
      await Promise.all(changes);
      const left = await findListener(world.deps.table, world.caller.tenantId, id);
      for (const one of made)
        expect(await findDeployment(world.deps.table, world.caller.tenantId, one)).toBeDefined();
      if (made.length > 0) expect(left?.k8s_namespaces).toContain('goes');
    }
  });

  it('that was being taken when the request died refuses new deployments, until it is asked for again', async () => {
    const world = await aWorld();
    const { id } = await cluster(world, 'goes', 'stays');
    for (
      let at = 0;
      (await findListener(world.deps.table, world.caller.tenantId, id))?.closing === undefined;
      at++
    ) {
      const { deps } = interruptedAt(world.deps, at, () => Promise.reject(new Error('died')));
      await outcomeOf(take({ ...world, deps }, id));
    }
    expect(await refusal(post(world, inNamespace('goes')))).toMatchObject({
      status: 409,
      detail: leavingText('goes'),
    });
    await post(world, inNamespace('stays'));
    await changeListener(world, id, { compute_config: { k8s_namespaces: ['goes', 'stays'] } });
    await post(world, inNamespace('goes', 'b'));
  });
});

describe('a changed compute_config', () => {
  it('is told with what is desired, under another version', async () => {
    const world = await aWorld();
    const config = {
      k8s_namespaces: ['agents'],
      gateway: { name: 'public', namespace: 'net' },
      own: { a: 1 },
    };
    const { id } = await register(world, 'cluster', { compute_type: 'k8s', compute_config: config });
    const ask = (ifNoneMatch?: string, deployment_ids?: string[]) =>
      getDesired(
        world.deps,
        {
          params: { listener_id: id },
          query: { deployment_ids },
          headers: ifNoneMatch === undefined ? {} : { ifNoneMatch: `"${ifNoneMatch}"` },
        },
        world.caller,
      );
    const before = await ask();
    expect(before).toMatchObject({ complete: true, compute_config: config });
    expect(await ask(undefined, [world.deps.clock.randomId()])).toEqual({ ...before, complete: false });
    expect(await ask(before.version)).toEqual({ version: before.version, complete: false, deployments: [] });

    // The same again, and what is none of its configuration.
    const turned = { own: { a: 1 }, gateway: { namespace: 'net', name: 'public' } };
    await changeListener(world, id, { compute_config: turned, is_default: true, version: '2' });
    expect((await ask()).version).toBe(before.version);

    await changeListener(world, id, { compute_config: { ingress_class: 'nginx' } });
    const after = await ask(before.version);
    expect(after).toEqual({
      version: expect.not.stringMatching(before.version),
      complete: true,
      compute_config: { ingress_class: 'nginx', k8s_namespaces: ['agents'], pod_security: 'baseline' },
      deployments: [],
    });
    await changeListener(world, id, { compute_config: { k8s_namespaces: ['agents', 'more'] } });
    expect(await ask(after.version)).toMatchObject({
      compute_config: { k8s_namespaces: ['agents', 'more'] },
    });
  });

  it('is looked at by its listener after the next claim, and by that alone', async () => {
    const world = await listening();
    const changes = async () => (await claim(world)).desired_changes;
    const configure = (compute_config: object) => changeListener(world, world.listenerId, { compute_config });
    // Nobody has called yet.
    await configure({ region: 'eu' });
    expect(await changes()).toBe(0);
    await configure({ region: 'us' });
    expect(await changes()).toBe(1);
    await configure({ region: 'us' });
    await changeListener(world, world.listenerId, { version: '2' });
    expect(await changes()).toBe(1);
  });
});
