import { computeKinds } from '../../../compute/kinds.ts';
import { refuse } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import type { Listener } from '../../../core/items/items.ts';
import { findComputeUse } from '../../../store/compute-use.ts';

/** Drivers count at least twice as often while anything runs: what is older says nothing of now. */
const COUNTED_MILLISECONDS_MAX = 30 * 60_000;

/** What an agent has at rest: the target group of its servers, the rule to try them by, and that of requests. */
const NEEDED = { target_groups: 1, rules: 2 } as const;
const NAMES = { target_groups: 'target groups', rules: 'rules' } as const;

/**
 * Refuses a new agent for which the balancer has surely no room. What several requests need at the same
 * moment is not known here: a deploy that finds none waits, and says so.
 */
export async function checkRoom(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { compute_type: type }: Listener,
): Promise<void> {
  const use = computeKinds[type].isManaged ? await findComputeUse(table) : undefined;
  if (use === undefined || clock.now() - use.at > COUNTED_MILLISECONDS_MAX) return;
  for (const kind of ['target_groups', 'rules'] as const) {
    const { in_use: inUse, quota } = use[kind];
    const free = Math.max(0, quota - inUse);
    if (free < NEEDED[kind])
      throw refuse('compute_full', { what: NAMES[kind], free, quota, needed: NEEDED[kind] });
  }
}
