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
/** Seconds of work, of the minute that a function has; what is left is another call's. */
const PAGES_AT_ONCE = 10;

/**
 * Removes everything of a deployment that nothing runs of any more: files, images and logs, then what lies beside it page by page, then the deployment
 * itself with its name, in one transaction. What dies in between is begun again, for the deployment stays due until the end. `later`: more
 * is left than one call should do; the write that says so brings the next.
 */
export async function purge(deps: EngineDeps, loaded: Loaded): Promise<'later' | undefined> {
  const { owner, deployment } = loaded;
  await Promise.all([
    deps.blobs.deleteBelow(uploadsOf(owner)),
    deps.blobs.deleteBelow(artifactsOf(owner)),
    deps.images.deleteAll(owner),
    deps.logs.delete(owner.tenantId, owner.deploymentId),
  ]);
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
  const key = deploymentKey(owner.tenantId, owner.deploymentId);
  const change = { set: due(key.pk, deps.clock.now()) };
  await write(
    deps.table,
    update('deployment', key, change, guard('deletion: still there', equals('id', deployment.id))),
  );
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
