import { refuse } from '../../contract/errors.ts';
import type { CompleteRequest } from '../../contract/listener-protocol.ts';
import { maskSecrets } from '../../contract/mask.ts';
import type { completeTask as row } from '../../contract/routes/listener-protocol.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { findDeployment } from '../../store/deployments.ts';
import { absent, any, equals, guard, oneOf, present, update } from '../../store/expressions.ts';
import type { OpenTask, Outcome } from '../../store/items.ts';
import { deploymentKey } from '../../store/keys.ts';
import { retryRaces, transact, type Write } from '../../store/operations.ts';
import { findRevision, revise } from '../../store/revisions.ts';
import { endTask, findDoneTask, findOpenTask } from '../../store/tasks.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { load } from '../engine/situation.ts';
import { withoutTask } from '../engine/tasks.ts';
import { secretValues } from '../secrets.ts';
import { completeDeletion } from './complete-deletion.ts';
import type { TaskParams } from './held-task.ts';

type CompleteDeps = Pick<Deps, 'table' | 'clock' | 'keys'>;

/**
 * Records how a task ended; dispatch acts on the record. `accepted: false`: the task had been cancelled or given up, the listener brings
 * the deployment to what is desired. The same lease may repeat the same outcome.
 */
export async function completeTask(
  deps: CompleteDeps,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  caller: Caller,
): Promise<{ accepted: boolean }> {
  return retryRaces(deps.table, async () => {
    const task = await findOpenTask(deps.table, caller.tenantId, params.listener_id, params.task_id);
    if (task === undefined) return endedAlready(deps, caller.tenantId, params, body);
    if (task.lease_id !== body.lease_id && !isOwnStop(task, body)) {
      throw refuse('lease_taken', { id: task.id });
    }
    if (task.kind === 'DELETE') return completeDeletion(deps, task, body);
    if (await isWanted(deps, task)) return accept(deps, task, body);
    await transact(deps.table, [
      ...endTask(task, body.outcome, body.outcome === 'stopped', deps.clock.now()),
      ...(await deploymentWithout(deps, task)),
    ]);
    return { accepted: body.outcome === 'stopped' };
  });
}

/** Nothing is deployed by saying that a cancelled task was stopped, so its holder may say it under a lease that was renewed unheard. */
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

const refOf = (task: OpenTask) => ({
  tenantId: task.tenant_id,
  deploymentId: task.deployment_id,
  revisionId: task.revision_id ?? '',
});

/** An interrupt that was written before the switch was announced wins over whatever the listener made of the task. */
async function isWanted(deps: CompleteDeps, task: OpenTask): Promise<boolean> {
  if (task.state === 'cancelled') return false;
  const revision = await findRevision(deps.table, refOf(task));
  if (revision === undefined || revision.outcome !== undefined) return false;
  const late = revision.interrupt_requested_at !== undefined && revision.switching !== true;
  return !late && (revision.status === 'DEPLOYING' || revision.status === 'UNKNOWN');
}

async function accept(
  deps: CompleteDeps,
  task: OpenTask,
  body: CompleteRequest,
): Promise<{ accepted: boolean }> {
  const outcome = await outcomeOf(deps, task, body);
  const recorded = revise(
    refOf(task),
    { set: { outcome } },
    guard('outcome: none is recorded', absent('outcome')),
    guard('transition: being deployed', oneOf('status', ['DEPLOYING', 'UNKNOWN'])),
    guard('interrupt: none, or too late', any(absent('interrupt_requested_at'), present('switching'))),
  );
  await transact(deps.table, [
    ...endTask(task, body.outcome, true, deps.clock.now()),
    recorded,
    await finished(deps, task),
  ]);
  return { accepted: true };
}

/** The deployment has no task any more; the listener leaves it alone until Finish has said what should run. */
async function finished(deps: CompleteDeps, task: OpenTask): Promise<Write> {
  const deployment = await findDeployment(deps.table, task.tenant_id, task.deployment_id);
  const epoch = deployment?.epoch ?? 0;
  return update(
    'deployment',
    deploymentKey(task.tenant_id, task.deployment_id),
    { set: { epoch: epoch + 1 }, remove: ['task_id'] },
    guard('epoch: as read', equals('epoch', epoch)),
    guard('task: still open', equals('task_id', task.id)),
  );
}

async function deploymentWithout(deps: CompleteDeps, task: OpenTask): Promise<Write[]> {
  const loaded = await load(deps, refOf(task));
  return loaded?.deployment.task_id === task.id ? withoutTask(loaded) : [];
}

async function outcomeOf(deps: CompleteDeps, task: OpenTask, body: CompleteRequest): Promise<Outcome> {
  const message = await messageOf(deps, task, body);
  return {
    stage: 'deploy',
    epoch: task.epoch,
    result: body.outcome === 'succeeded' ? 'succeeded' : 'failed',
    ...(message !== undefined && { message }),
    ...(typeof body.url === 'string' && { url: body.url }),
    ...(typeof body.image_version === 'string' && { image_version: body.image_version }),
    ...(typeof body.previous_serving === 'boolean' && { previous_serving: body.previous_serving }),
  };
}

/** Listeners mask what they ship; what ends up in a response is masked here once more. */
async function messageOf(
  deps: CompleteDeps,
  task: OpenTask,
  body: CompleteRequest,
): Promise<string | undefined> {
  const fallback = {
    succeeded: undefined,
    failed: 'The listener reported a failure and gave no reason.',
    stopped: 'The listener stopped before the deploy had finished.',
  };
  const text = body.status_message ?? fallback[body.outcome];
  if (text === undefined) return undefined;
  const revision = await findRevision(deps.table, refOf(task));
  return maskSecrets(text, await secretValues(deps, refOf(task), revision?.secrets));
}
