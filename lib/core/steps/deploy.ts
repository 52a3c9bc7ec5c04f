import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { type OfferDeps, offerTask } from '../engine/deploys.ts';
import { load } from '../engine/load.ts';
import { awaitDeploy, type TokenTask } from '../engine/transactions/steps.ts';
import type { Revision } from '../items/items.ts';
import { findRevision, MoveRefused } from '../items/revisions.ts';
import { StepRefused } from './prepare.ts';

/**
 * The Deploy state: writes AWAITING_DEPLOY (and a BUILDING that was missed before it), keeps the token,
 * offers the task unless an earlier one is still open; dispatch offers it when that has ended.
 */
export async function deployRevision(deps: OfferDeps, task: TokenTask): Promise<void> {
  const revision = await findRevision(deps.table, task);
  if (revision === undefined) throw new StepRefused('Deploy', task);
  await storeDeployToken(deps, task, revision);
  const loaded = await load(deps, task, revision.number);
  const mayOffer =
    loaded?.deployment.task_id === undefined &&
    loaded?.slotRevision?.id === task.revisionId &&
    loaded.slotRevision.task_id === undefined;
  if (!mayOffer) return;
  try {
    await offerTask(deps, loaded);
  } catch (error) {
    // Dispatch or an interrupt was quicker: either has seen to it.
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}

async function storeDeployToken(deps: OfferDeps, task: TokenTask, revision: Revision): Promise<void> {
  try {
    await transact(deps.table, awaitDeploy(task, revision, deps.clock.now()));
  } catch (error) {
    if (!(error instanceof ConditionsFailed || error instanceof MoveRefused)) throw error;
    const current = await findRevision(deps.table, task);
    // A listener may have claimed or lost the task of an earlier try meanwhile: then the same again.
    if (current === undefined || current.status === revision.status) throw new StepRefused('Deploy', task);
    await storeDeployToken(deps, task, current);
  }
}
