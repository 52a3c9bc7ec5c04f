import { describe, expect, it } from 'vitest';
import { listEvents } from '../../../lib/features/events/list.ts';
import { listEvents as eventsRow } from '../../../lib/features/events/routes.ts';
import { allItems } from '../../support/table/all-items.ts';
import { watchConsumed } from '../../support/table/consumed.ts';
import { copiesOf } from '../../support/table/copies.ts';
import { putAll } from '../../support/table/put-all.ts';
import { until } from '../../support/until.ts';
import { claim, complete } from '../../support/world/listening.ts';
import { change, github, list, post, revisions, show } from '../../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../../support/world/running-world.ts';

const FEW = 12;
const MANY = 72;

/** A world of so many deployments with two revisions each, of which a listener says that they run. */
async function worldOf(count: number): Promise<{ world: RunningWorld; id: string }> {
  const world = await aRunningWorld();
  const { id } = await post(world, github('copied'));
  await deployed(world, id);
  await change(world, id, { source_revision_config: { repo_ref: 'next' } });
  await deployed(world, id);
  // Nothing is at work any more that would be counted.
  await world.loseStream();
  await world.restartInOrder();
  const of = {
    tenantId: world.caller.tenantId,
    listenerId: world.listenerId,
    deploymentId: id,
    name: 'copied',
  };
  await putAll(
    world.deps.table,
    copiesOf(await allItems(world.deps.table), of, count - 1, () => of),
  );
  return { world, id };
}

async function deployed(world: RunningWorld, id: string): Promise<void> {
  const { builds } = world.deps;
  const name = await until(
    () =>
      [...builds.jobs].find(([buildId]) => builds.states.get(buildId)?.state === 'waiting')?.[1].buildName,
    { what: 'a build' },
  );
  await builds.succeed(name);
  const task = await until(async () => (await claim(world)).tasks[0], { what: 'a task' });
  await complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/copied' });
  const isTold = async () => {
    const { resources } = await events(world, '100');
    const revision = (await show(world, id)).latest_revision_id;
    return resources.some(
      (event) => 'revision_id' in event && event.revision_id === revision && event.status === 'DEPLOYED',
    );
  };
  await until(isTold, { what: 'the event of its success' });
}

const events = ({ deps, caller }: RunningWorld, limit: string) =>
  listEvents(deps, { query: eventsRow.query.parse({ after: '0', limit }), headers: {} }, caller);

/** The requests that a piece of work makes to the table, and what they read and write. */
async function consumedBy(
  { deps: { table } }: RunningWorld,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const consumed: string[] = [];
  const stop = watchConsumed(table.client, ({ reads, writes }, { name }) =>
    consumed.push(`${name}: ${reads} read, ${writes} written`),
  );
  try {
    await work();
  } finally {
    stop();
  }
  return consumed.toSorted();
}

describe(`what is no list takes the same of ${MANY} deployments as of ${FEW}`, () => {
  it('a page of a list, a deployment, its revisions, a feed, a claim, a sweep', async () => {
    const both = await Promise.all([worldOf(FEW), worldOf(MANY)]);
    const work: Record<string, (world: RunningWorld, id: string) => Promise<unknown>> = {
      'a page of a list': (world) => list(world, { limit: '10' }),
      'a deployment': (world, id) => show(world, id),
      'its revisions': (world, id) => revisions(world, id),
      'a feed': (world) => events(world, '10'),
      'a claim': (world) => claim(world),
      'a sweep': (world) => world.sweep(),
    };
    for (const [what, of] of Object.entries(work)) {
      const [few = [], many] = await Promise.all(
        both.map(({ world, id }) => consumedBy(world, () => of(world, id))),
      );
      expect(few.length).toBeGreaterThan(0);
      expect({ [what]: many }).toEqual({ [what]: few });
    }
    // They are there: a list of all of them does grow.
    const all = await Promise.all(
      both.map(async ({ world }) => (await list(world, { limit: '100' })).resources.length),
    );
    expect(all).toEqual([FEW, MANY]);
  });
});
