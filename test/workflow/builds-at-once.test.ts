import { expect, it } from 'vitest';
import { buildPlaces } from '../../lib/core/items/build-places.ts';
import { until } from '../support/until.ts';
import { github, interrupt, post, register, showRevision } from '../support/world/requests.ts';
import { aRunningWorld, type RunningWorld } from '../support/world/running-world.ts';
import { reaches } from '../support/world/steps.ts';

const quick = { settings: { buildsAtOnce: 2 }, retryMilliseconds: { Build: 20 } };
type Made = { id: string; revisionId: string };

async function made(world: RunningWorld, name: string): Promise<Made> {
  const { id, latest_revision_id: revisionId } = await post(world, github(name));
  return { id, revisionId };
}
const isStarted = ({ deps }: RunningWorld, { revisionId }: Made) =>
  deps.builds.jobs.has(`build-${revisionId}`);
const started = (world: RunningWorld, all: Made[]) => all.filter((one) => isStarted(world, one));
const waits = async (world: RunningWorld, { id, revisionId }: Made) =>
  (await showRevision(world, id, revisionId)).status_message?.includes('2 builds of this tenant are running');

it('builds of a tenant above its limit wait, say so, and start when others are over', async () => {
  const world = await aRunningWorld(quick);
  const all = [
    await made(world, 'a'),
    await made(world, 'b'),
    await made(world, 'c'),
    await made(world, 'd'),
  ];
  await until(() => started(world, all).length === 2, { what: 'two builds' });
  const late = all.filter((one) => !isStarted(world, one));
  for (const one of late) await until(() => waits(world, one), { what: 'the reason of the wait' });
  // Another tenant has places of its own.
  const other = world.as();
  await register(other, 'machine');
  const theirs = await made({ ...world, ...other, deps: world.deps }, 'a');
  await until(() => isStarted(world, theirs), { what: 'the build of another tenant' });

  const [first, second] = started(world, all);
  if (first === undefined || second === undefined) throw new Error('two were started');
  await world.deps.builds.succeed(first.revisionId);
  await until(() => started(world, all).length === 3, { what: 'the third build' });
  await interrupt(world, second.id, second.revisionId);
  await until(() => started(world, all).length === 4, { what: 'the last build' });
  for (const one of late) await world.deps.builds.succeed(one.revisionId);
  for (const one of late) await reaches(world, one.id, one.revisionId, 'AWAITING_DEPLOY');
  expect(await buildPlaces(world.deps.table, world.caller.tenantId)).toHaveLength(2);
});

it('a build that was lost has its place again, and an interrupt ends the wait for one', async () => {
  const world = await aRunningWorld({ ...quick, settings: { buildsAtOnce: 1 } });
  const [one, two] = [await made(world, 'a'), await made(world, 'b')];
  await until(() => started(world, [one, two]).length === 1, { what: 'the build' });
  const [running] = started(world, [one, two]);
  const waiting = running === one ? two : one;
  await until(
    async () =>
      (await showRevision(world, waiting.id, waiting.revisionId)).status_message?.includes('Waits until'),
    { what: 'the reason of the wait' },
  );
  await interrupt(world, waiting.id, waiting.revisionId);
  await reaches(world, waiting.id, waiting.revisionId, 'INTERRUPTED');
  await world.deps.builds.become(`build-${running?.revisionId}`, { state: 'lost' });
  await until(
    async () => {
      await world.sweepFor(61);
      return world.deps.builds.jobs.has(`build-${running?.revisionId}-2`);
    },
    { what: 'the next build' },
  );
  const [place] = await buildPlaces(world.deps.table, world.caller.tenantId);
  expect(place?.build_name).toBe(`${running?.revisionId}-2`);
});
