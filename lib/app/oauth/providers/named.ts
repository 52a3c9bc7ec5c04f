import { refuse } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import { findProvider, type OAuthProvider, providersOf } from '../../../store/oauth/providers.ts';

type Reading = Pick<Deps, 'table'>;

/** Whether a request that says `name` means this `id`: a UUID, which has no case. */
export const isNameOfId = (name: string, id: string): boolean => name.toLowerCase() === id;

/** The provider that has this `id`, which is not its `provider_id`. They are few in an organization. */
export async function findProviderById(
  { table }: Reading,
  organizationId: string,
  id: string,
): Promise<OAuthProvider | undefined> {
  return (await providersOf(table, organizationId)).find((provider) => isNameOfId(id, provider.id));
}

/**
 * The provider that a request names, by `provider_id` or by `id`. No provider's `provider_id` is the `id` of
 * another one.
 */
export async function findNamedProvider(
  deps: Reading,
  organizationId: string,
  name: string,
): Promise<OAuthProvider | undefined> {
  return (
    (await findProvider(deps.table, organizationId, name)) ?? findProviderById(deps, organizationId, name)
  );
}

/** The provider of the caller's organization that a request names. Throws 404. */
export async function getNamedProvider(
  deps: Reading,
  organizationId: string,
  name: string,
): Promise<OAuthProvider> {
  const found = await findNamedProvider(deps, organizationId, name);
  if (found === undefined) throw refuse('oauth_provider_not_found', { providerId: name });
  return found;
}
