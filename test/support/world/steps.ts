import { ApiError } from '../../../lib/contract/errors.ts';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { until } from '../until.ts';
import { claim, complete, heartbeat } from './listening.ts';
import { show, showRevision } from './requests.ts';
import type { RunningWorld } from './running-world.ts';

/** What takes time in a world that runs, as one call each. */

/** Waits until the deployment answers 404. */
export const isGone = (world: RunningWorld, deploymentId: string) =>
  until(
    () =>
      show(world, deploymentId).then(
        () => false,
        (error: unknown) => error instanceof ApiError && error.status === 404,
      ),
    { what: `deployment ${deploymentId} to be gone` },
  );

export const reaches = (
  world: RunningWorld,
  deploymentId: string,
  revisionId: string,
  status: RevisionStatus,
) =>
  until(
    async () => {
      const revision = await showRevision(world, deploymentId, revisionId);
      return revision.status === status ? revision : undefined;
    },
    { what: `revision ${revisionId} to be ${status}` },
  );

/** Claims until there is a task, and returns it. */
export const claimed = (world: RunningWorld, instanceId = 'one') =>
  until(async () => (await claim(world, 10, instanceId)).tasks[0], {
    what: 'a task to claim',
  });

/** Takes a revision that is being processed through build and deploy. */
export async function deploy(world: RunningWorld, deploymentId: string, revisionId: string): Promise<void> {
  await buildStarted(world, revisionId);
  await world.deps.builds.succeed(revisionId);
  await deployBuilt(world, deploymentId, revisionId);
}

export async function deployBuilt(
  world: RunningWorld,
  deploymentId: string,
  revisionId: string,
): Promise<void> {
  const task = await claimed(world);
  await heartbeat(world, task, 'switching');
  await complete(world, task, 'succeeded', { url: 'http://localhost:4401/d/it' });
  await reaches(world, deploymentId, revisionId, 'DEPLOYED');
}

export const buildStarted = (world: RunningWorld, name: string): Promise<unknown> =>
  until(() => world.deps.builds.jobs.has(`build-${name}`), {
    what: `the build ${name}`,
  });

/** Sweeps when all that is in flight is due. */
export function later(world: RunningWorld): ReturnType<RunningWorld['sweep']> {
  world.advance(61);
  return world.sweep();
}

/** Sweeps every minute until the build has started. */
export const buildStartedInTime = (world: RunningWorld, name: string): Promise<unknown> =>
  until(
    async () => {
      if (world.deps.builds.jobs.has(`build-${name}`)) return true;
      await later(world);
      return false;
    },
    { what: `the build ${name}` },
  );
