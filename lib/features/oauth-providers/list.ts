import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { providersOf } from '../../core/items/oauth-providers.ts';
import type { ProviderView } from './shape.ts';
import { providerViewOf } from './view.ts';

/** All providers of the caller's organization, by `provider_id`. */
export async function listProviders(
  { table }: Pick<Deps, 'table'>,
  _: unknown,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<ProviderView[]> {
  return (await providersOf(table, organizationId)).map(providerViewOf);
}
