import { expect, it } from 'vitest';
import type { RevisionRef } from '../../../lib/contract/refs.ts';
import { endRevision } from '../../../lib/core/engine/end-revision.ts';
import { completeSeen } from '../../../lib/features/listener-protocol/complete.ts';
import { systemPatience } from '../../../lib/store/dynamodb/patience.ts';
import { claim, type Listening, listening, offered } from '../../support/world/listening.ts';
import { showRevision } from '../../support/world/requests.ts';

/** Completes a task; `during` is what happens to its revision in the pauses of the answer. */
async function complete(
  outcome: 'succeeded' | 'failed',
  during: (world: Listening, revision: RevisionRef, pauses: number) => Promise<void>,
) {
  const world = await listening();
  const { id, revisionId } = await offered(world, 'agent');
  const revision = { tenantId: world.caller.tenantId, deploymentId: id, revisionId };
  const [task] = (await claim(world)).tasks;
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    await during(world, revision, pauses.length);
  };
  const table = { ...world.deps.table, patience: { ...systemPatience, pause } };
  const params = { listener_id: world.listenerId, task_id: task?.task_id ?? '' };
  const body = { lease_id: task?.lease_id ?? '', outcome };
  const answer = await completeSeen({ ...world.deps, table }, { params, body }, world.caller);
  return { answer, pauses, status: (await showRevision(world, id, revisionId)).status };
}

it.each([
  ['succeeded', 'DEPLOYED'],
  ['failed', 'DEPLOY_FAILED'],
] as const)('who said that a task has %s and reads at once, reads %s', async (outcome, status) => {
  const seen = await complete(outcome, async (world, revision, pauses) => {
    // As dispatch, the state machine and its last step do.
    if (pauses === 2) await endRevision(world.deps, revision);
  });
  expect(seen).toMatchObject({ answer: { accepted: true }, status });
  expect(seen.pauses).toHaveLength(2);
});

it('an engine that takes longer keeps no listener waiting for more than two seconds', async () => {
  const { answer, pauses, status } = await complete('succeeded', async () => undefined);
  expect([answer, status]).toEqual([{ accepted: true }, 'DEPLOYING']);
  expect(pauses.length).toBeLessThanOrEqual(6);
  expect(pauses.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2000);
});
