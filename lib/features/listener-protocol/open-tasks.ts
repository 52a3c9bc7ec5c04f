import type { Deps } from '../../core/deps.ts';
import type { OpenTask } from '../../core/items/items.ts';
import { findOpenTask, openTaskPage } from '../../core/items/tasks.ts';

/** Who claims, and what it says that it works on. */
export type Claimant = {
  tenantId: string;
  listenerId: string;
  instanceId: string;
  holding: readonly string[];
};

/** Open tasks of a listener, as one who claims sees them. */
type Found = {
  /** May be claimed: offered, or this instance's own, which it does not know of. Oldest first. */
  free: OpenTask[];
  /** This instance's, which it is to stop. */
  cancelled: string[];
  /** How many of those that the instance works on it still has. */
  held: number;
};

/**
 * A listener's open tasks, some at a time: a claim reads no more than it needs, however many wait. What the
 * instance works on comes with the first, wherever it lies.
 */
export async function* openTasksFor(deps: Pick<Deps, 'table'>, claimant: Claimant): AsyncGenerator<Found> {
  const { tenantId, listenerId, holding } = claimant;
  const first = await openTaskPage(deps.table, tenantId, listenerId);
  const last = first.lastId;
  const behind = last === undefined ? [] : holding.filter((id) => id > last);
  const known = await Promise.all(behind.map((id) => findOpenTask(deps.table, tenantId, listenerId, id)));
  yield sorted([...first.items, ...known.filter((task) => task !== undefined)], claimant);
  for (let startAfter = last; startAfter !== undefined; ) {
    const page = await openTaskPage(deps.table, tenantId, listenerId, startAfter);
    yield sorted(
      page.items.filter(({ id }) => !behind.includes(id)),
      claimant,
    );
    startAfter = page.lastId;
  }
}

function sorted(tasks: OpenTask[], { instanceId, holding }: Claimant): Found {
  const found: Found = { free: [], cancelled: [], held: 0 };
  for (const task of tasks) {
    const own = task.instance_id === instanceId;
    if (task.state === 'cancelled' && own) found.cancelled.push(task.id);
    else if (task.state === 'claimed' && own && holding.includes(task.id)) found.held += 1;
    else if (task.state === 'offered' || (task.state === 'claimed' && own)) found.free.push(task);
  }
  return found;
}
