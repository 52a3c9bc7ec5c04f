import { describe, expect, it } from 'vitest';
import { load } from '../../../lib/core/engine/load.ts';
import { forgetTask } from '../../../lib/core/engine/transactions/tasks.ts';
import { getDeploymentItem } from '../../../lib/core/items/deployments.ts';
import { releaseHost } from '../../../lib/core/items/hosts.ts';
import { getDesired } from '../../../lib/features/listener-protocol/desired.ts';
import { ConditionsFailed, transact } from '../../../lib/store/dynamodb/transact.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { ended } from '../../support/world/processed.ts';
import {
  change,
  github,
  post,
  postRevision,
  refusedWith,
  register,
  remove,
  show,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

const at = (name: string, custom_url: string | undefined, listener_id?: string) =>
  github(name, { source_config: { repo_url: 'https://example.com/a.git', custom_url, listener_id } });

const address = (custom_url: string) => ({ source_config: { custom_url } });

const taken = (host: string, by: string): string =>
  `409 Host '${host}' of 'custom_url' is already claimed on the same listener by deployment ${by}.`;

async function aPlane(): Promise<World> {
  const world = await aWorld();
  await register(world, 'machine');
  return world;
}

const claims = async ({ deps }: World): Promise<unknown[]> =>
  (await allItems(deps.table)).filter(({ entity }) => entity === 'host_claim').map(({ sk }) => sk);

const desired = (world: Listening) =>
  getDesired(world.deps, { params: { listener_id: world.listenerId } }, world.caller);

const desiredRows = async (world: Listening) => (await desired(world)).deployments;

const addresses = async (world: Listening) =>
  (await desiredRows(world)).map(({ custom_url: customUrl }) => customUrl);

describe('the host of a custom_url', () => {
  it('is claimed on its listener, in whatever spelling, by the first', async () => {
    const world = await aPlane();
    const { id } = await post(world, at('a', 'https://Agent.example.com/x'));
    for (const url of [
      'http://agent.example.com',
      'https://agent.example.com.:8443/y',
      'https://AGENT.EXAMPLE.COM',
      'agent.Example.com',
    ])
      expect(await refusedWith(post(world, at('b', url)))).toBe(taken('agent.example.com', id));
    const other = await post(world, at('b', 'https://other.example.com'));
    expect(await refusedWith(change(world, other.id, address('https://agent.example.com')))).toBe(
      taken('agent.example.com', id),
    );
    expect((await show(world, other.id)).source_config.custom_url).toBe('https://other.example.com');
  });

  it('is free on another listener, and in another tenant', async () => {
    const world = await aPlane();
    const url = 'https://agent.example.com';
    await post(world, at('a', url));
    const other = await register(world, 'other');
    await post(world, at('b', url, other.id));
    const elsewhere = world.as();
    await register(elsewhere, 'machine');
    await post(elsewhere, at('a', url));
    expect(await claims(world)).toHaveLength(3);
  });

  it('is given up with the address, and claimed with the next one', async () => {
    const world = await aPlane();
    const { id } = await post(world, at('a', 'https://one.example.com'));
    await change(world, id, address('https://two.example.com'));
    expect(await claims(world)).toEqual(['H#two.example.com']);
    const other = await post(world, at('b', 'https://one.example.com'));
    await change(world, id, address(''));
    expect(await claims(world)).toEqual(['H#one.example.com']);
    await postRevision(world, other.id, address('https://two.example.com'));
    expect(await claims(world)).toEqual(['H#two.example.com']);
  });

  it('stays claimed through changes that keep it', async () => {
    const world = await aPlane();
    const { id } = await post(world, at('a', 'https://one.example.com'));
    await change(world, id, address('http://one.example.com/path'));
    await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    expect(await claims(world)).toEqual(['H#one.example.com']);
    expect(await refusedWith(post(world, at('b', 'https://one.example.com')))).toBe(
      taken('one.example.com', id),
    );
  });

  it('may be given alone: it is kept so, and the listener is given a URL', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [], at('a', 'Agent.example.com'));
    expect((await show(world, id)).source_config.custom_url).toBe('Agent.example.com');
    expect(await claims(world)).toEqual(['H#agent.example.com']);
    expect((await claim(world)).tasks[0]).toMatchObject({ custom_url: 'https://Agent.example.com' });
    await change(world, id, address('https://agent.example.com/x'));
    expect(await claims(world)).toEqual(['H#agent.example.com']);
  });

  it('is told its listener with what is desired, without a revision', async () => {
    const world = await listening();
    const { id, revisionId } = await offered(world, 'a', [], at('a', 'https://one.example.com'));
    expect(await addresses(world)).toEqual(['https://one.example.com']);
    const before = await desired(world);
    await change(world, id, address('two.example.com'));
    expect(await addresses(world)).toEqual(['https://two.example.com']);
    const after = await desired(world);
    expect(after.version).not.toBe(before.version);
    expect(after.deployments).toMatchObject(before.deployments.map(({ custom_url: _, ...rest }) => rest));
    await change(world, id, address('https://two.example.com'));
    expect(await desired(world)).toEqual(after);
    await change(world, id, address(''));
    expect(await addresses(world)).toEqual([null]);
    expect((await show(world, id)).latest_revision_id).toBe(revisionId);
  });

  it('is looked at by its listener after the next claim, and by that alone', async () => {
    const world = await listening();
    const changes = async () => (await claim(world)).desired_changes;
    const { id } = await post(world, at('a', 'https://one.example.com'));
    // It is not placed yet.
    await change(world, id, address('https://two.example.com'));
    await ended(world, id, 'DEPLOYED');
    // Nobody has called yet.
    await change(world, id, address('https://three.example.com'));
    expect(await changes()).toBe(0);
    await change(world, id, address('https://four.example.com'));
    expect(await changes()).toBe(1);
    await change(world, id, address('https://four.example.com'));
    await change(world, id, { secrets: [{ name: 'A', value: 'b' }] });
    expect(await changes()).toBe(1);
    await change(world, id, address(''));
    expect(await changes()).toBe(2);
  });

  it('is told as it is when the first task comes, and by the next one as it is then', async () => {
    const world = await listening();
    const { id } = await post(world, at('a', 'https://one.example.com'));
    await change(world, id, address('https://two.example.com'));
    expect(await desiredRows(world)).toEqual([]);
    await ended(world, id, 'DEPLOYED');
    expect(await addresses(world)).toEqual(['https://two.example.com']);
    await change(world, id, address('https://three.example.com'));
    await postRevision(world, id);
    await ended(world, id, 'DEPLOYED');
    expect(await addresses(world)).toEqual(['https://three.example.com']);
  });

  it('is not taken back by what the engine does on what it read before', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [], at('a', 'https://one.example.com'));
    const read = await load(world.deps, { tenantId: world.caller.tenantId, deploymentId: id });
    if (read === undefined) throw new Error('no deployment');
    await change(world, id, address('https://two.example.com'));
    await expect(transact(world.deps.table, forgetTask(read.deployment))).rejects.toThrow(ConditionsFailed);
    expect(await addresses(world)).toEqual(['https://two.example.com']);
  });

  it('of a deployment that is being deleted is said to wait for its listener', async () => {
    const world = await listening();
    const { id } = await offered(world, 'a', [], at('a', 'https://one.example.com'));
    const other = await post(world, at('b', undefined));
    await remove(world, id);
    const waits = `${taken('one.example.com', id)} Its deletion waits for listener machine; if that will not come back, DELETE /v2/deployments/${id}?force=true ends the waiting.`;
    expect(await refusedWith(post(world, at('c', 'one.example.com')))).toBe(waits);
    expect(await refusedWith(change(world, other.id, address('one.example.com')))).toBe(waits);
  });

  it('is no matter of a deployment without one', async () => {
    const world = await aPlane();
    const { id } = await post(world, at('a', undefined));
    await change(world, id, address(''));
    expect(await claims(world)).toEqual([]);
  });

  it('goes to one of many that ask at the same time', async () => {
    const world = await aPlane();
    const url = 'https://agent.example.com';
    const made = await Promise.all(Array.from({ length: 4 }, (_, n) => post(world, at(`d-${n}`, undefined))));
    const answers = await Promise.allSettled([
      ...made.map(({ id }) => change(world, id, address(url))),
      ...Array.from({ length: 4 }, (_, n) => post(world, at(`e-${n}`, url))),
    ]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await claims(world)).toEqual(['H#agent.example.com']);
  });

  it('is said again to a repeated create, and given up when a deployment goes', async () => {
    const world = await aPlane();
    const body = at('a', 'https://agent.example.com');
    const { id } = await post(world, body);
    expect((await post(world, body)).id).toBe(id);
    const deployment = await getDeploymentItem(world.deps.table, world.caller.tenantId, id);
    await transact(world.deps.table, await releaseHost(world.deps.table, deployment));
    expect(await claims(world)).toEqual([]);
    expect(await releaseHost(world.deps.table, deployment)).toEqual([]);
  });
});
