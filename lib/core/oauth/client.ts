import { open, seal } from '../../adapters/envelope.ts';
import type { KeyContext } from '../../adapters/keys.ts';
import type { OAuthClient } from '../../adapters/oauth.ts';
import type { Deps } from '../deps.ts';
import type { OAuthProvider } from '../items/oauth-providers.ts';

type Owner = Pick<OAuthProvider, 'organization_id' | 'provider_id'>;

/** Ciphertext opens only for the provider it was made for. */
const contextOf = ({ organization_id, provider_id }: Owner): KeyContext => ({
  organization: organization_id,
  oauth_provider: provider_id,
});

export const sealClientSecret = (deps: Pick<Deps, 'keys'>, owner: Owner, secret: string): Promise<string> =>
  seal(deps.keys, secret, contextOf(owner));

/** This side as the provider knows it, secret included. Callers never log nor store it. */
export async function clientOf(deps: Pick<Deps, 'keys'>, provider: OAuthProvider): Promise<OAuthClient> {
  const { sealed } = provider;
  return {
    authUrl: provider.auth_url,
    tokenUrl: provider.token_url,
    clientId: provider.client_id,
    authMethod: provider.token_endpoint_auth_method,
    ...(provider.issuer !== undefined && { issuer: provider.issuer }),
    ...(provider.revocation_url !== undefined && { revocationUrl: provider.revocation_url }),
    ...(provider.iss_in_response !== undefined && { issInResponse: provider.iss_in_response }),
    ...(provider.resource !== undefined && { resource: provider.resource }),
    ...(sealed !== undefined && { clientSecret: await open(deps.keys, sealed, contextOf(provider)) }),
  };
}
