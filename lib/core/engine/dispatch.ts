import { deploymentOf, revisionNumberIn } from '../items/item-places.ts';
import { TookTooLong, within } from '../within.ts';
import type { EngineDeps } from './load.ts';
import { reconcile } from './reconcile.ts';

/**
 * A deployment whose call hangs keeps the others of its batch, and all later batches, waiting no longer than
 * this. Delivered again it would hang again, so it is left to sweep.
 */
const LOOK_MILLISECONDS = 20_000;

/** What dispatch reads of a stream record: whose item changed; never what it changed to. */
export type StreamedKey = { sequenceNumber: string; pk: string; sk: string };

/**
 * Brings forward every deployment that a batch of stream records tells of, each once however many records
 * there are. Returns the sequence numbers of records to be delivered again.
 */
export async function dispatch(
  deps: EngineDeps,
  changed: StreamedKey[],
  onError: (error: unknown, deploymentId: string) => void,
): Promise<string[]> {
  const byDeployment = Map.groupBy(changed, (item) => item.pk);
  const failed = await Promise.all(
    [...byDeployment].map(async ([pk, items]) => {
      const owner = deploymentOf(pk);
      if (owner === undefined) return [];
      try {
        const look = reconcile(deps, owner, { asking: false, likely: likelyOf(items) });
        await within(deps.clock, LOOK_MILLISECONDS, 'a look at a deployment', look);
        return [];
      } catch (error) {
        onError(error, owner.deploymentId);
        if (error instanceof TookTooLong) return [];
        return items.map((item) => item.sequenceNumber);
      }
    }),
  );
  return failed.flat();
}

/** What changes is mostly the revision in the slot; the newest that did, should it have changed hands. */
const likelyOf = (items: StreamedKey[]): number | undefined =>
  items.flatMap(({ sk }) => revisionNumberIn(sk) ?? []).at(-1);
