import { artifactsOf, uploadsOf } from '../../domain/file-places.ts';
import { keysBeside } from '../../store/deletions.ts';
import { absent, equals, guard, remove, update } from '../../store/expressions.ts';
import { agentKey, deletedRowKey, deletionKey, deploymentKey, due, nameKey } from '../../store/keys.ts';
import { transact, type Write } from '../../store/operations.ts';
import { place } from '../../store/placements.ts';
import { write } from '../../store/write.ts';
import { releaseHost } from '../deployments/hosts.ts';
import type { EngineDeps, Loaded } from './situation.ts';

/** A transaction holds a hundred writes; a read of so many stops at a megabyte, which is far from what a transaction may hold. */
const ITEMS_A_PAGE = 90;
/** A fraction of a second of work: whatever is called with a deployment, others wait for the end of the call. */
const PAGES_AT_ONCE = 2;

/**
 * Removes everything of a deployment that nothing runs of any more: files, images and logs, then what lies beside it page by page, then the deployment
 * itself with its name, in one transaction. What dies in between is begun again, for the deployment stays due until the end. `later`: more
 * is left than one call should do, which may be much; the write that says so brings the next, behind what others wait for.
 */
export async function purge(deps: EngineDeps, loaded: Loaded): Promise<'later' | undefined> {
  const { owner, deployment } = loaded;
  const [, ...left] = await Promise.all([
    deps.images.deleteAll(owner),
    deps.blobs.deleteBelow(uploadsOf(owner)),
    deps.blobs.deleteBelow(artifactsOf(owner)),
    deps.logs.delete(owner.tenantId, owner.deploymentId),
  ]);
  if (left.includes('more')) return goOnLater(deps, loaded);
  for (let page = 0; page < PAGES_AT_ONCE; page++) {
    const keys = await keysBeside(deps.table, owner, ITEMS_A_PAGE);
    if (keys.length === 0) {
      await transact(deps.table, [...lastWrites(loaded), ...(await releaseHost(deps, deployment))]);
      return undefined;
    }
    await transact(
      deps.table,
      keys.map((key) => remove('record', key)),
    );
  }
  return goOnLater(deps, loaded);
}

async function goOnLater({ table, clock }: EngineDeps, { owner, deployment }: Loaded): Promise<'later'> {
  const key = deploymentKey(owner.tenantId, owner.deploymentId);
  const change = { set: due(key.pk, clock.now()) };
  const isThere = guard('deletion: still there', equals('id', deployment.id));
  await write(table, update('deployment', key, change, isThere));
  return 'later';
}

function lastWrites({ owner, deployment, deletion }: Loaded): Write[] {
  const { tenantId, deploymentId } = owner;
  const { agent } = deployment;
  // Whoever forced it did not wait for the listener, which is told to run nothing of it until it says that it does not.
  const isListenerOwing = deletion?.torn_down !== true && deployment.epoch > 0;
  return [
    remove(
      'deployment',
      deploymentKey(tenantId, deploymentId),
      guard('deletion: asked for', equals('status', 'AWAITING_DELETE')),
      guard('deletion: has the slot', equals('slot.kind', 'delete')),
      guard('task: none is open', absent('task_id')),
    ),
    remove('deletion', deletionKey(tenantId, deploymentId)),
    remove('deployment_row', deletedRowKey(tenantId, deploymentId)),
    remove('name', nameKey(tenantId, deployment.name)),
    ...(agent === undefined ? [] : [remove('agent', agentKey(tenantId, agent.agent_id, agent.environment))]),
    // What it has removed itself left nothing there.
    ...(isListenerOwing ? place(deployment, undefined, deployment.epoch + 1, false) : []),
  ];
}
