import { artifactsOf, pendingOf, pinnedOf } from '../../domain/file-places.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { removalsBeside } from '../items/deletions.ts';
import { releaseHost } from '../items/hosts.ts';
import type { EngineDeps, Loaded } from './load.ts';
import { continueDeletion, removeDeployment } from './transactions/deletions.ts';

/**
 * A transaction holds a hundred writes; a read of so many stops at a megabyte, which is far from what a
 * transaction may hold.
 */
const ITEMS_A_PAGE = 90;
/**
 * A fraction of a second of work: whatever is called with a deployment, others wait for the end of the call.
 */
const PAGES_AT_ONCE = 2;

/**
 * Removes everything of a deployment that nothing runs of any more: files, images and logs, then what lies
 * beside it page by page, then the deployment itself with its name, in one transaction. What dies in between
 * is begun again, for the deployment stays due until the end. `later`: more is left than one call should do,
 * which may be much; the write that says so brings the next, behind what others wait for.
 */
export async function purge(deps: EngineDeps, loaded: Loaded): Promise<'later' | undefined> {
  const { owner, deployment } = loaded;
  const [, ...left] = await Promise.all([
    deps.images.deleteAll(owner),
    deps.blobs.deleteBelow(pendingOf(owner)),
    deps.blobs.deleteBelow(pinnedOf(owner)),
    deps.blobs.deleteBelow(artifactsOf(owner)),
    deps.logs.delete(owner.tenantId, owner.deploymentId),
  ]);
  if (left.includes('more')) return goOnLater(deps, loaded);
  for (let page = 0; page < PAGES_AT_ONCE; page++) {
    const removals = await removalsBeside(deps.table, owner, ITEMS_A_PAGE);
    if (removals.length === 0) {
      const host = await releaseHost(deps.table, deployment);
      await transact(deps.table, [...removeDeployment(deployment, loaded.deletion), ...host]);
      return undefined;
    }
    await transact(deps.table, removals);
  }
  return goOnLater(deps, loaded);
}

async function goOnLater({ table, clock }: EngineDeps, { deployment }: Loaded): Promise<'later'> {
  await write(table, continueDeletion(deployment, clock.now()));
  return 'later';
}
