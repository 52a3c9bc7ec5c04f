import type { DeploymentRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import type { Revision } from '../../core/items/items.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Said } from './parse-delivery.ts';
import { awaitedBy, noteLook } from './store.ts';

/**
 * What becomes of a push for a deployment: a revision, or the reason why none. `again`: the head is to be
 * looked at once more, and deliveries wait for that; `unread`: for the host could not be asked.
 */
export type Considered = { revisionId: string } | { reason: string; again?: true; unread?: true };

/** More are settled one after the other. */
export const AWAITED_AT_ONCE = 25;

export type Asking = {
  cause: Extract<NonNullable<Revision['cause']>, { kind: 'push' | 'head' }>;
  /** What commits say of themselves, as far as deliveries have told. */
  said: ReadonlyMap<string, Said>;
  /** The writes that go along with what becomes of it. */
  beside: (considered: Considered) => Write[];
};

/** Why the head is looked at: for the deliveries that wait for it, or because it is time. */
export async function awaitedNow(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { deploymentId }: DeploymentRef,
  pk: string,
): Promise<Asking> {
  const seconds = clock.now() / 1000;
  // The table removes what has expired at any time after that, and its delivery perhaps before it.
  const kept = (await awaitedBy(table, pk, deploymentId)).filter(({ ttl }) => ttl > seconds);
  const awaited = kept.slice(-AWAITED_AT_ONCE);
  const newest = awaited.at(-1);
  return {
    cause: newest === undefined ? { kind: 'head' } : { kind: 'push', delivery_id: newest.delivery.id },
    said: new Map(awaited.flatMap(({ said }) => said.map(({ commit, ...rest }) => [commit, rest]))),
    beside: (considered) => {
      const outcome =
        'revisionId' in considered
          ? { revision_id: considered.revisionId }
          : { reason: considered.reason, ...(considered.again === true && { waits: true }) };
      return awaited.flatMap((item) => noteLook(pk, item, outcome));
    },
  };
}
