import type { RevisionStatus } from '../../../lib/contract/revision-status.ts';
import { endRevision } from '../../../lib/core/engine/end-revision.ts';
import { load } from '../../../lib/core/engine/load.ts';
import { takeSlot } from '../../../lib/core/engine/slots.ts';
import type { Revision } from '../../../lib/core/items/items.ts';
import type { Outcome } from '../../../lib/core/items/parts.ts';
import { move } from '../../../lib/core/items/revision-moves.ts';
import { getRevisionItem } from '../../../lib/core/items/revisions.ts';
import { equals, update } from '../../../lib/store/dynamodb/expressions.ts';
import { transact } from '../../../lib/store/dynamodb/transact.ts';
import { revisionKeyOf } from '../../../lib/store/keys/index.ts';
import type { World } from './world.ts';

export const COMMIT = 'c'.repeat(40);
const built = { kind: 'folder', key: 'builds/one.tar', sha256: 'a'.repeat(64), sizeBytes: 10 } as const;

type Facts = Partial<Pick<Revision, 'artifact'>> & { commit?: string; outcome?: Partial<Outcome> };

/**
 * Takes the oldest queued revision from the queue and into a status, as the engine would, without a state
 * machine.
 */
export async function inProgress(
  { deps, caller }: World,
  deploymentId: string,
  status: RevisionStatus = 'AWAITING_BUILD',
  facts: Facts = {},
): Promise<Revision> {
  const owner = { tenantId: caller.tenantId, deploymentId };
  const loaded = await load(deps, owner);
  const number = loaded?.deployment.queued[0];
  if (loaded === undefined || number === undefined) throw new Error('no revision is queued');
  await takeSlot(deps, loaded, number);
  const slotRevision = (await load(deps, owner))?.slotRevision;
  if (slotRevision === undefined) throw new Error('the slot is empty');
  const set = { artifact: facts.artifact, 'revision_config.repo_commit_sha': facts.commit };
  await transact(deps.table, [move(slotRevision, status, deps.clock.now(), { set })]);
  return getRevisionItem(deps.table, { ...owner, revisionId: slotRevision.id });
}

/**
 * Ends the oldest queued revision of a deployment as the engine would; a success leaves an artifact and a
 * commit.
 */
export async function ended(
  world: World,
  deploymentId: string,
  how: 'DEPLOYED' | 'BUILD_FAILED' | 'DEPLOY_FAILED',
  facts: Facts = {},
): Promise<Revision> {
  const { deps, caller } = world;
  const failedBuild = how === 'BUILD_FAILED';
  const given = failedBuild ? facts : { artifact: built, commit: COMMIT, ...facts };
  const revision = await inProgress(world, deploymentId, failedBuild ? 'BUILDING' : 'DEPLOYING', given);
  const ref = { tenantId: caller.tenantId, deploymentId, revisionId: revision.id };
  const outcome = {
    stage: failedBuild ? 'build' : 'deploy',
    result: how === 'DEPLOYED' ? 'succeeded' : 'failed',
    ...(how === 'DEPLOYED' ? { url: 'http://localhost:4401/d/it' } : { message: 'It broke.' }),
    ...facts.outcome,
  };
  await transact(deps.table, [
    update('revision', revisionKeyOf(ref), { set: { outcome, task_id: 'task' } }, equals('id', revision.id)),
  ]);
  await endRevision(deps, ref);
  return getRevisionItem(deps.table, ref);
}
