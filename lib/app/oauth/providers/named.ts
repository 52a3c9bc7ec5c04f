import { refuse } from '../../../contract/errors.ts';
import { findProvider, type OAuthProvider, providersOf } from '../../../store/oauth-providers.ts';
import type { Deps } from '../../deps.ts';

type Reading = Pick<Deps, 'table'>;

/** Whether a request that says `name` means this `id`: a UUID, which has no case. */
export const isNameOfId = (name: string, id: string): boolean => name.toLowerCase() === id;

/** The provider that has this `id`, which is not its `provider_id`. They are few in an organisation. */
export async function findProviderById(
  { table }: Reading,
  organisationId: string,
  id: string,
): Promise<OAuthProvider | undefined> {
  return (await providersOf(table, organisationId)).find((provider) => isNameOfId(id, provider.id));
}

/** The provider that a request names, by `provider_id` or by `id`. No provider's `provider_id` is the `id` of another one. */
export async function findNamedProvider(
  deps: Reading,
  organisationId: string,
  name: string,
): Promise<OAuthProvider | undefined> {
  return (
    (await findProvider(deps.table, organisationId, name)) ?? findProviderById(deps, organisationId, name)
  );
}

/** The provider of the caller's organisation that a request names. Throws 404. */
export async function getNamedProvider(
  deps: Reading,
  organisationId: string,
  name: string,
): Promise<OAuthProvider> {
  const found = await findNamedProvider(deps, organisationId, name);
  if (found === undefined) throw refuse('oauth_provider_not_found', { providerId: name });
  return found;
}
