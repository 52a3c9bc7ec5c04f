import { createDeployment } from '../../../lib/app/deployments/create.ts';
import { deleteDeployment } from '../../../lib/app/deployments/delete.ts';
import { getDeployment } from '../../../lib/app/deployments/get.ts';
import { patchDeployment } from '../../../lib/app/deployments/patch.ts';
import { claimTasks } from '../../../lib/app/listener-protocol/claim.ts';
import { completeTask } from '../../../lib/app/listener-protocol/complete.ts';
import { heartbeatTask } from '../../../lib/app/listener-protocol/heartbeat.ts';
import { showRevision } from '../../../lib/app/revisions/get.ts';
import { interruptRevision } from '../../../lib/app/revisions/interrupt.ts';
import type { CreateDeploymentBody } from '../../../lib/contract/deployment-requests.ts';
import { ApiError } from '../../../lib/contract/errors.ts';
import type { CompleteRequest } from '../../../lib/contract/listener-protocol.ts';
import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { until } from '../until.ts';
import type { RunningWorld } from './running-world.ts';

/** What people and listeners do, as one call each on a world. */
export const githubBody = (
  name: string,
  changes: Partial<CreateDeploymentBody> = {},
): CreateDeploymentBody => ({
  name,
  source_config: { repo_url: 'https://example.com/repo.git' },
  source_revision_config: { repo_ref: 'main' },
  ...changes,
});

export const create = (world: RunningWorld, body: CreateDeploymentBody) =>
  createDeployment(world.deps, { body }, world.caller);

export const patch = (
  world: RunningWorld,
  deploymentId: string,
  body: Parameters<typeof patchDeployment>[1]['body'],
) =>
  patchDeployment(world.deps, { params: { deployment_id: deploymentId }, body, headers: {} }, world.caller);

export const remove = (world: RunningWorld, deploymentId: string, force = false) =>
  deleteDeployment(
    world.deps,
    { params: { deployment_id: deploymentId }, query: { force }, headers: {} },
    world.caller,
  );

/** Waits until the deployment answers 404. */
export const isGone = (world: RunningWorld, deploymentId: string) =>
  until(
    () =>
      getDeployment(world.deps, { params: { deployment_id: deploymentId } }, world.caller).then(
        () => false,
        (error: unknown) => error instanceof ApiError && error.status === 404,
      ),
    { timeoutMs: 60_000, what: `deployment ${deploymentId} to be gone` },
  );

export const get = (world: RunningWorld, deploymentId: string, revisionId: string) =>
  showRevision(world.deps, { tenantId: world.caller.tenantId, deploymentId, revisionId });

export const interrupt = (world: RunningWorld, deploymentId: string, revisionId: string) =>
  interruptRevision(
    world.deps,
    { params: { deployment_id: deploymentId, revision_id: revisionId } },
    world.caller,
  );

export const reaches = (
  world: RunningWorld,
  deploymentId: string,
  revisionId: string,
  status: RevisionStatus,
) =>
  until(
    async () => {
      const revision = await get(world, deploymentId, revisionId);
      return revision.status === status ? revision : undefined;
    },
    { timeoutMs: 60_000, what: `revision ${revisionId} to be ${status}` },
  );

export const claim = (world: RunningWorld, instanceId = 'one') =>
  claimTasks(
    world.deps,
    {
      params: { listener_id: world.listenerId },
      body: { instance_id: instanceId, max: 10, holding: [], wait_seconds: 0 },
    },
    world.caller,
  );

/** Claims until there is a task, and returns it. */
export const claimed = (world: RunningWorld, instanceId = 'one') =>
  until(async () => (await claim(world, instanceId)).tasks[0], {
    timeoutMs: 60_000,
    what: 'a task to claim',
  });

type Task = Awaited<ReturnType<typeof claimed>>;

export const heartbeat = (world: RunningWorld, task: Task, phase?: 'switching') =>
  heartbeatTask(
    world.deps,
    {
      params: { listener_id: world.listenerId, task_id: task.task_id },
      body: { lease_id: task.lease_id, phase },
    },
    world.caller,
  );

export const complete = (
  world: RunningWorld,
  task: Task,
  outcome: CompleteRequest['outcome'],
  more: Partial<CompleteRequest> = {},
) =>
  completeTask(
    world.deps,
    {
      params: { listener_id: world.listenerId, task_id: task.task_id },
      body: { lease_id: task.lease_id, outcome, ...more },
    },
    world.caller,
  );

/** Takes a revision that is being processed through build and deploy. */
export async function deploy(world: RunningWorld, deploymentId: string, revisionId: string): Promise<void> {
  await until(() => world.deps.builds.jobs.has(`build-${revisionId}`), {
    timeoutMs: 60_000,
    what: `the build of ${revisionId}`,
  });
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
    timeoutMs: 60_000,
    what: `the build ${name}`,
  });

/** Sweeps when all that is in flight is due. */
export function later(world: RunningWorld): ReturnType<RunningWorld['sweep']> {
  world.advance(61);
  return world.sweep();
}
