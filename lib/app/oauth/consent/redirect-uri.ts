import { ValidationError } from '../../../contract/errors.ts';
import type { OAuthProvider } from '../../../store/oauth/providers.ts';

/** The second address of every route; what is registered at a provider names the first. */
const ALIAS = /\/api-host$/;

/** The default address to which the provider sends the browser back. */
export const ownRedirectUri = (baseUrl: string, providerId: string): string =>
  `${baseUrl.replace(ALIAS, '')}/v2/auth/callback/${providerId}`;

/**
 * The redirect URI of a request: the one it names, which must be allowed (422), else the first that is, else
 * our own.
 */
export function redirectUriFor(
  { provider_id, allowed_redirect_uris: allowed }: OAuthProvider,
  asked: string | undefined,
  baseUrl: string,
): string {
  const own = ownRedirectUri(baseUrl, provider_id);
  if (asked === undefined) return allowed[0] ?? own;
  // Compared as texts, as providers do (RFC 9700 §4.1.3).
  if (asked === own || allowed.includes(asked)) return asked;
  throw new ValidationError([
    {
      loc: ['body', 'redirect_uri'],
      type: 'value_error',
      msg: "Value error, it is none of the provider's allowed_redirect_uris",
      input: asked,
    },
  ]);
}
