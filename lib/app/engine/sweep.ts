import { duePartitionKeys } from '../../store/due.ts';
import { deploymentOf, deploymentOfEvents, duePartitions } from '../../store/keys.ts';
import type { Deps } from '../deps.ts';
import { resendEvents } from '../events/resend.ts';
import { reconcile } from './reconcile.ts';
import type { EngineDeps, Owner } from './situation.ts';

export type SweepDeps = EngineDeps & Pick<Deps, 'events'>;

/** How many deployments are looked at side by side: the calls wait on AWS, not on us. */
const SIDE_BY_SIDE = 10;

/**
 * Finds what nothing else will wake, in the sparse index of what is due, and brings each deployment forward, asking the workflow and the
 * builds how things really are; events that nobody could be told are told. `all` also takes what is due later (after a restart nothing that was
 * running runs). Returns how many deployments were looked at and how many of them failed.
 */
export async function sweep(
  deps: SweepDeps,
  { all }: { all: boolean },
  onError: (error: unknown, deploymentId: string) => void,
): Promise<{ looked: number; failed: number }> {
  const until = all ? Number.MAX_SAFE_INTEGER : deps.clock.now();
  const due = new Map<string, { owner: Owner; bring: () => Promise<void> }>();
  for (const partition of duePartitions) {
    for await (const pk of duePartitionKeys(deps.table, partition, until)) {
      const owner = deploymentOf(pk);
      if (owner !== undefined) due.set(pk, { owner, bring: () => reconcile(deps, owner, { asking: true }) });
      const told = deploymentOfEvents(pk);
      if (told !== undefined) due.set(pk, { owner: told, bring: () => resendEvents(deps, told) });
    }
  }
  const queue = [...due.values()];
  let failed = 0;
  const worker = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { owner, bring } = next;
      await bring().catch((error: unknown) => {
        failed += 1;
        onError(error, owner.deploymentId);
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return { looked: due.size, failed };
}
