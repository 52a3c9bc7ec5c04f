import type { SignIn } from '../../adapters/sign-in.ts';
import type { SignInView } from './shape.ts';

/** How people sign in without a key. */
export async function showSignIn({ signIn }: { signIn: SignIn }): Promise<SignInView> {
  if (signIn === undefined) return { oidc: null };
  const { issuer, clientId, audience, tokenEndpoint } = signIn;
  return { oidc: { issuer, client_id: clientId, audience, token_endpoint: tokenEndpoint ?? null } };
}
