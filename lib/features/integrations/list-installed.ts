import type { RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { integrationsOf } from '../../core/items/integrations.ts';
import type { listInstalledIntegrations as row } from './routes.ts';

/** All integrations of the tenant, as clients read them that let a person choose one. */
export async function listInstalledIntegrations(
  { table }: Pick<Deps, 'table'>,
  _: unknown,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const all = await integrationsOf(table, caller.tenantId);
  return all.map(({ id, name, host }) => ({ id, name, host, installation_id: id }));
}
