import type { ProviderView } from '../../../contract/oauth/providers.ts';
import type { getProvider as row } from '../../../contract/routes/oauth-providers.ts';
import type { RouteInput } from '../../../contract/routes/route.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Deps } from '../../../core/deps.ts';
import { getNamedProvider } from './named.ts';
import { toProviderView } from './view.ts';

export async function showProvider(
  deps: Pick<Deps, 'table'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<ProviderView> {
  return toProviderView(await getNamedProvider(deps, organizationId, params.provider_id));
}
