import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { integrationsOf } from '../../core/items/integrations.ts';
import type { listIntegrations as row } from './routes.ts';
import { integrationViewOf } from './view.ts';

/** Integrations, newest first. */
export async function listIntegrations(
  { table }: Pick<Deps, 'table'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const all = await integrationsOf(table, caller.tenantId);
  const resources = all.slice(query.offset, query.offset + query.limit).map(integrationViewOf);
  return { resources, offset: Math.min(query.offset, all.length) + resources.length };
}
