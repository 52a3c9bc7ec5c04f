import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { listenerRows } from '../../core/items/listeners.ts';
import { pageOf } from '../../core/page.ts';
import type { listListeners as row } from './routes.ts';
import { currentViewOf } from './view.ts';

/** Listeners, newest first. */
export async function listListeners(
  deps: Pick<Deps, 'table' | 'clock'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const page = await pageOf(listenerRows(deps.table, caller.tenantId, true), query);
  const resources = await Promise.all(page.rows.map((listener) => currentViewOf(deps, listener)));
  return { resources, offset: page.offset };
}
