import type { BuildControl } from '../../adapters/builds.ts';
import type { RevisionRef } from '../../contract/refs.ts';
import { OUTPUT_FOLLOWS } from '../../domain/agent-failure.ts';
import { type Ending, endingOf } from '../../domain/ending.ts';
import { numberOf } from '../../domain/revision-id.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import type { Deps } from '../deps.ts';
import type { Revision } from '../items/items.ts';
import { attemptOf, findRevision, findToken, hasBuild } from '../items/revisions.ts';
import { type ArtifactPlan, deleteDropped, planArtifacts } from './keep-artifacts.ts';
import { type Loaded, load } from './load.ts';
import { endRevisionWrites } from './transactions/endings.ts';

export type EndDeps = Pick<Deps, 'table' | 'clock' | 'logs' | 'blobs' | 'settings'> & {
  builds: Pick<BuildControl, 'stop'>;
};

/**
 * Writes a revision's terminal status and frees the deployment's slot, in one transaction: the only way a
 * revision that was taken from the queue ends, for Finish and sweep alike. What it still builds is stopped
 * first: the next revision must not build beside it. Harmless when it has ended already. `attempt`: of the
 * execution that ends it; nothing happens once a later attempt is at work.
 */
export const endRevision = (deps: EndDeps, ref: RevisionRef, attempt?: number): Promise<void> =>
  retryRaces(deps.table, async () => {
    const loaded = await load(deps, ref, numberOf(ref.revisionId));
    if (loaded === undefined) return;
    const { slotRevision } = loaded;
    const revision = slotRevision?.id === ref.revisionId ? slotRevision : await findRevision(deps.table, ref);
    if (revision === undefined) return;
    if (attempt !== undefined && attemptOf(revision) !== attempt) return;
    const ending = endingOf({
      status: revision.status,
      interruptRequestedAt: revision.interrupt_requested_at,
      deleted: loaded.deployment.status === 'AWAITING_DELETE',
      outcome: revision.outcome,
    });
    if (ending === undefined) return;
    if (revision.build_id !== undefined && hasBuild(revision)) await deps.builds.stop(revision.build_id);
    // First: who sees the status reads the log next, and a death in between must not lose the line. The
    // revision itself says the cause as well, so a log that cannot be read or written must not keep the queue
    // from moving.
    await logCause(deps, revision, ending).catch(() => undefined);
    await endWithArtifacts(deps, loaded, revision, ending);
  });

/**
 * A store of files that fails keeps no revision from its end. Then the error is thrown once that is written,
 * so that somebody hears of it; what has to go is found again when the next one ends.
 */
async function endWithArtifacts(
  deps: EndDeps,
  loaded: Loaded,
  revision: Revision,
  ending: Ending,
): Promise<void> {
  const [planned] = await Promise.allSettled([planArtifacts(deps, loaded, revision, ending)]);
  const plan = planned.status === 'fulfilled' ? planned.value : undefined;
  await writeEnd(deps, loaded, revision, ending, plan);
  if (planned.status === 'rejected') throw planned.reason;
  if (plan !== undefined) await deleteDropped(deps, plan);
}

async function writeEnd(
  deps: EndDeps,
  loaded: Loaded,
  revision: Revision,
  ending: Ending,
  plan: ArtifactPlan | undefined,
): Promise<void> {
  const known = loaded.slotRevision?.id === revision.id ? loaded.token : undefined;
  const token = known ?? (await findToken(deps.table, loaded.owner, revision.number));
  const { deployment, task } = loaded;
  const hasToken = token !== undefined;
  const facts = { deployment, task, revision, ending, hasToken, artifacts: plan?.artifacts };
  await transact(deps.table, endRevisionWrites({ ...facts, now: deps.clock.now() }));
}

/** Clients show only the logs: a failure's cause is also the last line of its stage's log. */
async function logCause(deps: EndDeps, revision: Revision, { status, message }: Ending): Promise<void> {
  const type = status === 'BUILD_FAILED' ? 'build' : status === 'DEPLOY_FAILED' ? 'deploy' : undefined;
  if (type === undefined || message === undefined) return;
  const stream = {
    tenantId: revision.tenant_id,
    deploymentId: revision.deployment_id,
    revisionId: revision.id,
    type,
  } as const;
  const { entries } = await deps.logs.query(stream, { order: 'desc', limit: 1 });
  const last = entries[0]?.message ?? '';
  // Its first line is the cause; the output that it quotes after it stands in the log already. So may the
  // cause, by who knew it first.
  const [first = ''] = message.split('\n', 1);
  const cause = first.endsWith(OUTPUT_FOLLOWS) ? first.slice(0, -OUTPUT_FOLLOWS.length) : first;
  if (last !== '' && first.startsWith(last)) return;
  await deps.logs.append(stream, [{ timestamp: deps.clock.now(), level: 'ERROR', message: cause }]);
}
