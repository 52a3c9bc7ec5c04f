import { computeKinds } from '../../compute/kinds.ts';
import type { ListenerView } from '../../contract/listener-views.ts';
import type { Listener } from '../../core/items/items.ts';
import { findComputeUse } from '../../store/compute-use.ts';
import type { Table } from '../../store/table.ts';

/**
 * How full the compute behind a listener is, where it has a ceiling that the installation counts: that of its
 * own agents. Null: it has none, or nothing has been counted yet.
 */
export async function capacityOf(
  table: Table,
  { compute_type: type }: Listener,
): Promise<ListenerView['capacity']> {
  const use = computeKinds[type].isManaged ? await findComputeUse(table) : undefined;
  if (use === undefined) return null;
  const { target_groups, rules, at } = use;
  return { target_groups, rules, counted_at: new Date(at).toISOString() };
}
