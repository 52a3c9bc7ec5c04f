import { duePartitionKeys } from '../../store/due.ts';
import { deploymentOf, duePartitions } from '../../store/keys.ts';
import { reconcile } from './reconcile.ts';
import type { EngineDeps } from './situation.ts';
import { type Owner } from './situation.ts';

/** How many deployments are looked at side by side: the calls wait on AWS, not on us. */
const SIDE_BY_SIDE = 10;

/**
 * Finds what nothing else will wake, in the sparse index of what is due, and brings each deployment forward, asking the workflow and the
 * builds how things really are. `all` also takes what is due later (after a restart nothing that was running runs). Returns
 * how many deployments were looked at and how many of them failed.
 */
export async function sweep(
  deps: EngineDeps,
  { all }: { all: boolean },
  onError: (error: unknown, deploymentId: string) => void,
): Promise<{ looked: number; failed: number }> {
  const until = all ? Number.MAX_SAFE_INTEGER : deps.clock.now();
  const owners = new Map<string, Owner>();
  for (const partition of duePartitions) {
    for await (const pk of duePartitionKeys(deps.table, partition, until)) {
      const owner = deploymentOf(pk);
      if (owner !== undefined) owners.set(pk, owner);
    }
  }
  const queue = [...owners.values()];
  let failed = 0;
  const worker = async (): Promise<void> => {
    for (let owner = queue.pop(); owner !== undefined; owner = queue.pop()) {
      const { deploymentId } = owner;
      await reconcile(deps, owner, { asking: true }).catch((error: unknown) => {
        failed += 1;
        onError(error, deploymentId);
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return { looked: owners.size, failed };
}
