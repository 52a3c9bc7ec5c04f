import { write } from '../../store/dynamodb/write.ts';
import { attemptOf, findRevision, refOf } from '../items/revisions.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { BUILD_LOST } from './restart.ts';
import { forgetToken } from './transactions/steps.ts';

/** Answers the waiting state with the recorded outcome. `gone`: nobody waits any more. */
export async function answerToken(deps: EngineDeps, loaded: Loaded): Promise<'gone' | undefined> {
  const { slotRevision, token } = loaded;
  const outcome = slotRevision?.outcome;
  if (outcome === undefined || token === undefined) return undefined;
  const answer =
    outcome.result === 'succeeded'
      ? await deps.workflow.succeed(token.token, { outcome: 'succeeded' })
      : await deps.workflow.fail(token.token, { name: 'StageFailed', cause: outcome.message });
  await forget(deps, loaded);
  return answer === 'gone' ? 'gone' : undefined;
}

/**
 * Lets the execution of the revision end. Its build is stopped and its task cancelled as the revision ends.
 */
export async function interruptSlotRevision(deps: EngineDeps, loaded: Loaded): Promise<'gone' | undefined> {
  const { slotRevision, token } = loaded;
  if (slotRevision === undefined || token === undefined) return undefined;
  const answer = await deps.workflow.fail(token.token, {
    name: 'Interrupted',
    cause: `interrupt requested at ${slotRevision.interrupt_requested_at}`,
  });
  await forget(deps, loaded);
  return answer === 'gone' ? 'gone' : undefined;
}

/**
 * Tells the state that waits for a build that it was lost: the execution ends, and the next attempt builds
 * again.
 */
export async function failLostBuild(deps: EngineDeps, loaded: Loaded): Promise<'gone' | undefined> {
  const { slotRevision, token } = loaded;
  if (slotRevision === undefined || token === undefined) return undefined;
  // The token was read after the revision: by then the next attempt may have stored its own, and its build is
  // not lost.
  const current = await findRevision(deps.table, refOf(slotRevision));
  if (current === undefined || attemptOf(current) !== attemptOf(slotRevision)) return undefined;
  const cause = `build ${slotRevision.lost_build?.id} was lost`;
  const answer = await deps.workflow.fail(token.token, { name: BUILD_LOST, cause });
  await forget(deps, loaded);
  return answer === 'gone' ? 'gone' : undefined;
}

async function forget(deps: EngineDeps, { owner, slotRevision, token }: Loaded): Promise<void> {
  if (slotRevision === undefined || token === undefined) return;
  await write(deps.table, forgetToken(owner, slotRevision.number, token));
}
