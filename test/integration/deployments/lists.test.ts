import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listDeployments } from '../../../lib/features/deployments/routes.ts';
import { reportStatus } from '../../../lib/features/listener-protocol/status.ts';
import { update } from '../../../lib/store/dynamodb/expressions.ts';
import { write } from '../../../lib/store/dynamodb/write.ts';
import { deploymentRowKey } from '../../../lib/store/keys/index.ts';
import { ended } from '../../support/world/processed.ts';
import {
  github,
  list,
  post,
  postRevision,
  register,
  remove,
  revisions,
} from '../../support/world/requests.ts';
import { aWorld, type World } from '../../support/world/world.ts';

type Query = Record<string, string>;

async function withListener(): Promise<World> {
  const world = await aWorld();
  await register(world, 'machine');
  return world;
}

const names = async (world: World, query: Query = {}) =>
  (await list(world, query)).resources.map(({ name }) => name);

/** Walks a list as clients do: they count rows themselves and stop at the first short page. */
async function walked<T>(
  page: (query: Query) => Promise<{ resources: T[]; offset: number }>,
  limit: number,
  query: Query = {},
): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const { resources, offset } = await page({ ...query, limit: String(limit), offset: String(rows.length) });
    rows.push(...resources);
    expect(offset).toBe(rows.length);
    if (resources.length < limit) return rows;
  }
}

type Named = { id: string; name: string };

/** Makes deployments of new names, and deletes those at such places; gives what there is, newest first. */
function changing(world: World) {
  let live: Named[] = [];
  // The name of one that is being deleted stays taken.
  const taken = new Set<string>();
  return async (changes: (string | number)[]): Promise<Named[]> => {
    for (const change of changes) {
      if (typeof change === 'number') {
        const { id = '' } = live[change] ?? {};
        if (id !== '') await remove(world, id);
        live = live.filter((one) => one.id !== id);
      } else if (!taken.has(change)) {
        live = [{ id: (await post(world, github(change))).id, name: change }, ...live];
        taken.add(change);
        expect((await names(world, { limit: '1' }))[0]).toBe(change);
      }
    }
    return live;
  };
}

describe('the list of deployments', () => {
  it('gives each of them once, newest first, whatever the page is and was made and deleted before', async () => {
    const world = await withListener();
    const other = world.as();
    await register(other, 'machine');
    await post(other, github('a-foreign'));
    const change = changing(world);
    const name = fc.stringMatching(/^[ab][abc]{0,3}$/);
    const changes = fc.array(fc.oneof({ weight: 3, arbitrary: name }, fc.nat(20)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 1, max: 7 }), name, async (made, limit, part) => {
        const live = await change(made);
        const all = await walked((query) => list(world, query), limit);
        expect(all.map(({ id }) => id)).toEqual(live.map(({ id }) => id));
        const found = await walked((query) => list(world, query), limit, { name_contains: part });
        const matching = live.map((one) => one.name).filter((one) => one.includes(part));
        const exactFirst = [
          ...matching.filter((one) => one === part),
          ...matching.filter((one) => one !== part),
        ];
        expect(found.map((shown) => shown.name)).toEqual(exactFirst);
      }),
      { numRuns: 12 },
    );
  });

  it('has the exact match of a searched name on the first page, and only it for name=', async () => {
    const world = await withListener();
    for (const name of ['app', 'app-1', 'app-2', 'my-app']) await post(world, github(name));
    expect(await names(world, { name_contains: 'app' })).toEqual(['app', 'my-app', 'app-2', 'app-1']);
    expect(await names(world, { name_contains: 'app', limit: '1' })).toEqual(['app']);
    expect(await names(world, { name_contains: 'app', limit: '2', offset: '1' })).toEqual([
      'my-app',
      'app-2',
    ]);
    expect(await names(world, { name: 'app' })).toEqual(['app']);
    expect(await list(world, { name: 'app', offset: '1' })).toEqual({ resources: [], offset: 1 });
    expect(await list(world, { name: 'ap' })).toEqual({ resources: [], offset: 0 });
    expect(await names(world, { name: 'app', name_contains: 'my' })).toEqual([]);
    expect(await list(world, { offset: '7' })).toEqual({ resources: [], offset: 4 });
    expect(await names(world, { name: 'app#', name_contains: '#' })).toEqual([]);
  });

  it('is filtered by ids, agent and image', async () => {
    const world = await withListener();
    const made = [];
    for (const environment of ['prod', 'test']) {
      made.push(await post(world, github(`a-${environment}`, { agent: { agent_id: 'x', environment } })));
    }
    const plain = await post(world, github('plain'));
    const [prod, test] = made;
    const ids = [prod?.id, plain.id, plain.id, world.deps.clock.randomId()].join(',');
    expect(await names(world, { deployment_ids: ids })).toEqual(['plain', 'a-prod']);
    expect(await names(world, { deployment_ids: ids.toUpperCase(), name_contains: 'a-' })).toEqual([
      'a-prod',
    ]);
    expect(await names(world, { agent_id: 'x' })).toEqual(['a-test', 'a-prod']);
    expect(await names(world, { agent_id: 'x', agent_environment: 'test' })).toEqual(['a-test']);
    expect(await names(world, { agent_id: 'y' })).toEqual([]);
    await ended(world, test?.id ?? '', 'DEPLOYED', { outcome: { image_version: 'v7' } });
    expect(await names(world, { image_version: 'v7' })).toEqual(['a-test']);
    expect(await names(world, { image_version: 'v8' })).toEqual([]);
  });

  it('is filtered by status and by what the listener says of it', async () => {
    const world = await withListener();
    const [unused, ready] = [await post(world, github('unused')), await post(world, github('ready'))];
    const active = await ended(world, ready.id, 'DEPLOYED');
    const report = (healthy: boolean, revision_id: string | null = active.id) =>
      reportStatus(
        world.deps,
        {
          params: { listener_id: ready.source_config.listener_id ?? '' },
          body: { reports: [{ deployment_id: ready.id, epoch: 99, revision_id, healthy }] },
        },
        world.caller,
      );
    expect(await names(world, { status: 'UNKNOWN' })).toEqual(['ready']);
    await report(true);
    expect(await names(world, { status: 'READY' })).toEqual(['ready']);
    expect(await names(world, { status: 'UNUSED' })).toEqual([unused.name]);
    expect(await names(world, { status: 'UNUSED,READY', limit: '1', offset: '1' })).toEqual(['unused']);
    expect(await names(world, { status: 'AWAITING_DELETE' })).toEqual([]);
    expect(await names(world, { remote_reconciled: 'true' })).toEqual(['ready']);
    await report(true, null);
    expect(await names(world, { remote_reconciled: 'false' })).toEqual(['ready', 'unused']);
    expect(await names(world, { status: 'UNKNOWN' })).toEqual(['ready']);
    await report(true);
    world.advance(91);
    expect(await names(world, { status: 'READY' })).toEqual([]);
    expect(await names(world, { status: 'UNKNOWN,UNUSED', remote_reconciled: 'true' })).toEqual(['ready']);
  });
});

describe('the list of revisions', () => {
  it('is the same page by page as filtered by every status, newest first', async () => {
    const world = await withListener();
    const { id } = await post(world, github('a'));
    const made: string[] = [];
    for (const how of ['DEPLOYED', 'BUILD_FAILED', 'DEPLOYED', 'DEPLOY_FAILED'] as const) {
      made.unshift((await ended(world, id, how)).id);
      const next = await postRevision(world, id);
      expect((await revisions(world, id, { limit: '1' })).resources[0]?.id).toBe(next.id);
    }
    for (let n = 0; n < 20; n++) await postRevision(world, id);
    const of = (query: Query) => revisions(world, id, query);
    const all = await walked(of, 100);
    expect(all).toHaveLength(25);
    expect(all.slice(21).map((shown) => shown.id)).toEqual(made);
    const ids = all.map((shown) => shown.id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const every = [...new Set(all.map(({ status }) => status))].join(',');
    for (const limit of [1, 4, 5, 24, 25, 26]) {
      expect(await walked(of, limit)).toEqual(all);
      expect(await walked(of, limit, { status: every })).toEqual(all);
    }
    const deployed = await walked(of, 1, { status: 'DEPLOYED' });
    expect(deployed).toEqual(all.filter(({ status }) => status === 'DEPLOYED'));
    expect((await of({ remote_reconciled: 'true' })).resources.map((shown) => shown.id)).toEqual([made[1]]);
    expect((await of({ remote_reconciled: 'false', limit: '100' })).resources).toHaveLength(24);
  });

  it('ends where it ends, and has its defaults', async () => {
    const world = await withListener();
    const { id } = await post(world, github('a'));
    for (let n = 0; n < 21; n++) await postRevision(world, id);
    expect((await revisions(world, id)).resources).toHaveLength(20);
    expect(await revisions(world, id, { offset: '22' })).toEqual({ resources: [], offset: 22 });
    expect(await revisions(world, id, { offset: '900' })).toEqual({ resources: [], offset: 22 });
    expect(await revisions(world, id, { offset: '900', status: 'QUEUED' })).toEqual({
      resources: [],
      offset: 22,
    });
    expect(
      (await revisions(world, id, { offset: '20' })).resources.map((shown) => shown.queue_position),
    ).toEqual([2, 1]);
    for (const query of [{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { status: 'NOPE' }]) {
      expect(() => revisions(world, id, query)).toThrow();
    }
  });
});

async function typed() {
  const world = await withListener();
  const make = async (name: string, deployment_type?: string) => {
    const source_config = { repo_url: 'https://example.com/repo.git', deployment_type };
    return (await post(world, github(name, { source_config }))).id;
  };
  return { world, make };
}

it('a list is filtered by the type of deployments, also by rows of an earlier release, without short pages', async () => {
  const { world, make } = await typed();
  const long = 'a-type-of-deployments-with-a-long-name';
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push(await make(`dev-${n}`, 'dev'));
    await make(`prod-${n}`, 'prod');
    await make(`long-${n}`, long);
    await make(`none-${n}`);
  }
  const { tenantId } = world.caller;
  const old = update('row', deploymentRowKey(tenantId, ids[1] ?? ''), { set: { v: 1 }, remove: ['type'] });
  await write(world.deps.table, old);
  const namesOf = (deployment_type: string, more = {}) => names(world, { deployment_type, ...more });
  expect(await namesOf('dev')).toEqual(['dev-2', 'dev-1', 'dev-0']);
  expect(await namesOf('dev', { limit: '2' })).toEqual(['dev-2', 'dev-1']);
  expect(await namesOf('dev', { limit: '2', offset: '2' })).toEqual(['dev-0']);
  expect(await namesOf(long)).toEqual(['long-2', 'long-1', 'long-0']);
  expect(await namesOf('dev', { name_contains: '1', status: 'UNUSED' })).toEqual(['dev-1']);
  expect(await namesOf('prod', { name: 'dev-1' })).toEqual([]);
  expect(await namesOf('dev', { name: 'dev-1' })).toEqual(['dev-1']);
  expect(await namesOf('dev_free')).toEqual([]);
  await remove(world, ids[0] ?? '');
  expect(await namesOf('dev', { status: 'AWAITING_DELETE' })).toEqual(['dev-0']);
  expect(await namesOf('prod', { status: 'AWAITING_DELETE' })).toEqual([]);
});

it('nothing has a tag, whatever else is asked for', async () => {
  const { world, make } = await typed();
  await make('app');
  const tag = world.deps.clock.randomId();
  expect(await list(world, { tag_value_ids: tag })).toEqual({ resources: [], offset: 0 });
  expect(await list(world, { tag_value_ids: 'x,y', name: 'app' })).toEqual({ resources: [], offset: 0 });
  expect(listDeployments.query.parse({ tag_value_ids: ',' }).tag_value_ids).toBeUndefined();
  expect((await list(world, {})).resources).toHaveLength(1);
});

it.each(['AWAITING_DATABASE', 'AWAITING_FINAL_DELETE'])('%s is a status that nothing has', async (status) => {
  const { world, make } = await typed();
  const id = await make('app');
  expect(await list(world, { status })).toEqual({ resources: [], offset: 0 });
  expect((await list(world, { status: `${status},UNUSED` })).resources).toHaveLength(1);
  expect(await revisions(world, id, { status })).toEqual({ resources: [], offset: 0 });
  expect((await revisions(world, id, { status: `${status},QUEUED` })).resources).toHaveLength(1);
});
