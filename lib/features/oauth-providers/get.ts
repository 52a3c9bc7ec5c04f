import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getNamedProvider } from '../../core/items/oauth-providers.ts';
import type { getProvider as row } from './routes.ts';
import type { ProviderView } from './shape.ts';
import { providerViewOf } from './view.ts';

export async function getProvider(
  deps: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<ProviderView> {
  return providerViewOf(await getNamedProvider(deps.table, organizationId, params.provider_id));
}
