import { refuse } from '../../contract/errors.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { completeDeletion, completeDeploy, dropDeploy } from '../../core/engine/transactions/claims.ts';
import { findDeployment } from '../../core/items/deployments.ts';
import type { Deployment, OpenDeletionTask, OpenDeployTask, OpenTask } from '../../core/items/items.ts';
import type { Outcome } from '../../core/items/parts.ts';
import { findRevision } from '../../core/items/revisions.ts';
import { findDoneTask, findOpenTask, revisionOf } from '../../core/items/tasks.ts';
import { isTerminal } from '../../domain/transitions.ts';
import { patienceOf } from '../../store/dynamodb/patience.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { TaskParams } from './held-task.ts';
import { maskAddress, revisionMask } from './masked.ts';
import type { completeTask as row } from './routes.ts';
import type { CompleteRequest } from './shape.ts';

type CompleteDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'agentSecrets'>;
type Input = Pick<RouteInput<typeof row>, 'params' | 'body'>;

/**
 * The engine takes a tenth of a second on one machine, and about one on AWS. A listener that waits longer for
 * the answer could not tell it from one that is lost, and each check is a read.
 */
const CHECK_AFTER_MILLISECONDS = [50, 100, 150, 300, 600, 800] as const;

/**
 * Records how a task ended; dispatch acts on the record. `accepted: false`: the task had been cancelled or
 * given up, the listener brings the deployment to what is desired. The same lease may repeat the same
 * outcome.
 */
export async function completeTask(
  deps: CompleteDeps,
  input: Input,
  caller: Pick<Caller, 'tenantId'>,
): Promise<{ accepted: boolean }> {
  const { accepted } = await complete(deps, input, caller);
  return { accepted };
}

/**
 * Records how a task ended, and answers once the engine has ended the revision: who reads after the answer,
 * reads what came of it. Where the engine takes longer than two seconds, the answer does not wait for it.
 */
export async function completeSeen(
  deps: CompleteDeps,
  input: Input,
  caller: Pick<Caller, 'tenantId'>,
): Promise<{ accepted: boolean }> {
  const { accepted, ended } = await complete(deps, input, caller);
  const patience = patienceOf(deps.table);
  for (const milliseconds of ended === undefined ? [] : CHECK_AFTER_MILLISECONDS) {
    await patience.pause(milliseconds);
    const revision = ended && (await findRevision(deps.table, ended));
    if (revision === undefined || isTerminal(revision.status)) break;
  }
  return { accepted };
}

/** `ended`: the revision that the engine now ends. */
type Completed = { accepted: boolean; ended?: RevisionRef };

async function complete(
  deps: CompleteDeps,
  { params, body }: Input,
  caller: Pick<Caller, 'tenantId'>,
): Promise<Completed> {
  return retryRaces(deps.table, async () => {
    const task = await findOpenTask(deps.table, caller.tenantId, params.listener_id, params.task_id);
    if (task === undefined) return endedAlready(deps, caller.tenantId, params, body);
    if (task.lease_id !== body.lease_id && !isOwnStop(task, body)) {
      throw refuse('lease_taken', { id: task.id });
    }
    if (task.kind === 'DELETE') return completeRemoval(deps, task, body);
    if (await isWanted(deps, task)) return accept(deps, task, body);
    const deployment = await findDeployment(deps.table, task.tenant_id, task.deployment_id);
    const own = deployment?.task_id === task.id ? deployment : undefined;
    await transact(deps.table, dropDeploy(task, own, { said: body.outcome, now: deps.clock.now() }));
    return { accepted: body.outcome === 'stopped' };
  });
}

/**
 * Nothing is deployed by saying that a cancelled task was stopped, so its holder may say it under a lease
 * that was renewed unheard.
 */
const isOwnStop = (task: OpenTask, body: CompleteRequest): boolean =>
  task.state === 'cancelled' && body.outcome === 'stopped' && body.instance_id === task.instance_id;

async function endedAlready(
  deps: CompleteDeps,
  tenantId: string,
  params: TaskParams,
  body: CompleteRequest,
): Promise<{ accepted: boolean }> {
  const done = await findDoneTask(deps.table, tenantId, params.listener_id, params.task_id);
  if (done === undefined) throw refuse('task_not_found', { id: params.task_id });
  if (done.lease_id !== undefined && done.lease_id !== body.lease_id)
    throw refuse('lease_taken', { id: done.id });
  return { accepted: done.accepted && done.outcome === body.outcome };
}

/** Records whether a listener has removed what it ran of a deployment; dispatch removes the records then. */
async function completeRemoval(
  { table, clock }: CompleteDeps,
  task: OpenDeletionTask,
  { outcome }: CompleteRequest,
): Promise<{ accepted: boolean }> {
  const deployment = await deploymentOf({ table }, task);
  await transact(table, completeDeletion(task, deployment, { said: outcome, now: clock.now() }));
  return { accepted: true };
}

async function deploymentOf({ table }: Pick<Deps, 'table'>, task: OpenTask): Promise<Deployment> {
  const deployment = await findDeployment(table, task.tenant_id, task.deployment_id);
  if (deployment === undefined) throw refuse('task_not_found', { id: task.id });
  return deployment;
}

/**
 * An interrupt that was written before the switch was announced wins over whatever the listener made of the
 * task.
 */
async function isWanted(deps: CompleteDeps, task: OpenDeployTask): Promise<boolean> {
  if (task.state === 'cancelled') return false;
  const revision = await findRevision(deps.table, revisionOf(task));
  if (revision === undefined || revision.outcome !== undefined) return false;
  const late = revision.interrupt_requested_at !== undefined && revision.switching !== true;
  return !late && (revision.status === 'DEPLOYING' || revision.status === 'UNKNOWN');
}

async function accept(deps: CompleteDeps, task: OpenDeployTask, body: CompleteRequest): Promise<Completed> {
  const outcome = await outcomeOf(deps, task, body);
  const deployment = await deploymentOf(deps, task);
  const ended = { said: body.outcome, outcome, now: deps.clock.now() };
  await transact(deps.table, completeDeploy(task, deployment, ended));
  return { accepted: true, ended: revisionOf(task) };
}

async function outcomeOf(deps: CompleteDeps, task: OpenDeployTask, body: CompleteRequest): Promise<Outcome> {
  const deploy = { stage: 'deploy', epoch: task.epoch } as const;
  const { status_message: text, previous_serving: previousServing } = body;
  const mask = await revisionMask(deps, revisionOf(task));
  if (body.outcome !== 'succeeded') {
    const message = mask(text ?? WITHOUT_REASON[body.outcome]);
    const isKnown = typeof previousServing === 'boolean';
    return { ...deploy, result: 'failed', message, ...(isKnown && { previous_serving: previousServing }) };
  }
  return {
    ...deploy,
    result: 'succeeded',
    ...(typeof text === 'string' && { message: mask(text) }),
    ...(typeof body.url === 'string' && { url: maskAddress(body.url, mask) }),
    ...(typeof body.image_version === 'string' && { image_version: mask(body.image_version) }),
  };
}

const WITHOUT_REASON = {
  failed: 'The listener reported a failure and gave no reason.',
  stopped: 'The listener stopped before the deploy had finished.',
};
