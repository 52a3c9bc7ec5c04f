import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import type { getListener as row } from './routes.ts';
import type { ListenerView } from './shape.ts';
import { currentViewOf } from './view.ts';

export async function getListener(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<ListenerView> {
  const listener = await getListenerItem(deps.table, caller.tenantId, params.listener_id);
  return currentViewOf(deps, listener);
}
