import * as z from 'zod';
import { anyObject } from '../../contract/validation/as-given.ts';
import { freeText, withoutNulls } from '../../contract/validation/json.ts';
import { report, valueError } from '../../contract/validation/problems.ts';
import { orNull } from '../../contract/validation/query.ts';
import { oauthScopes } from '../oauth-tokens/shape.ts';

/** Requests for a person's consent at an OAuth provider. docs/oauth.md has the flow. */

const NAME_LENGTH_MAX = 256;
const URL_LENGTH_MAX = 2048;
/** Codes of some providers are signed documents. */
const CODE_LENGTH_MAX = 8192;
const STATE_LENGTH_MAX = 256;

/** In the caller's own words; an empty one is as good as none. */
const claim = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(/^\P{Cc}*$/u, 'a name contains no control characters')
  .nullish();

/** `POST /v2/auth/authenticate`. Empty claims count as absent ones. */
export const authenticateBody = z
  .object({
    provider: freeText,
    scopes: oauthScopes,
    user_id: claim,
    /** The `user_id` under the name that older clients use. */
    ls_user_id: claim,
    agent_id: claim,
    /** Asks for a new consent, whatever is stored. */
    force_new: z.boolean().nullish(),
    /** The stored grant that is meant; a new consent takes its place. */
    token_id: z.string().max(NAME_LENGTH_MAX).nullish(),
    is_default: z.boolean().nullish(),
    redirect_uri: z.string().max(URL_LENGTH_MAX).nullish(),
  })
  .transform(withoutNulls)
  .transform(({ user_id, ls_user_id, agent_id, scopes, ...rest }) => ({
    ...rest,
    scopes: [...new Set(scopes)],
    user_id: user_id || ls_user_id || undefined,
    agent_id: agent_id || undefined,
  }));

const token = {
  /** An access token. */
  token: z.string().optional(),
  user_id: z.string().optional(),
  metadata: anyObject().optional(),
};

export const authenticateView = z.object({
  status: z.enum(['completed', 'pending', 'connection_required', 'token_expired']),
  /** Where the person consents; null once they have. */
  url: z.string().nullable(),
  auth_id: z.guid().nullable(),
  ...token,
});

/** In seconds, fractions too; longer than can be waited for counts as that. */
const WAIT_SECONDS_MAX = 480;
const WAIT_SECONDS_DEFAULT = 30;

export const waitQuery = z.object({
  timeout: orNull(
    z
      .string()
      .transform((text, ctx) => {
        if (/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Math.min(Number(text), WAIT_SECONDS_MAX);
        report(ctx, valueError('this is no number of seconds'), [], text);
        return z.NEVER;
      })
      .pipe(z.number().min(0))
      .default(WAIT_SECONDS_DEFAULT),
  ),
});

export const waitView = z.object({
  status: z.enum(['completed', 'pending', 'timeout', 'not_found']),
  /** Why nothing will come of it: a word of ours, or the provider's `error` code. */
  error: z.string().optional(),
  ...token,
});

const parameter = z.string().max(URL_LENGTH_MAX);

/** `POST /v2/auth/callback/{provider_id}`: the parameters that the provider added to the redirect URI. */
export const callbackBody = z
  .object({
    state: z.string().min(1).max(STATE_LENGTH_MAX),
    code: z.string().min(1).max(CODE_LENGTH_MAX).nullish(),
    iss: parameter.nullish(),
    error: parameter.nullish(),
    error_description: parameter.nullish(),
  })
  .transform(withoutNulls);

/** `POST /v2/auth/complete/{auth_id}`. */
export const completeBody = z.object({ confirmation_code: z.string().min(1).max(NAME_LENGTH_MAX) });

export const consentView = z.object({ status: z.literal('completed'), auth_id: z.guid() });
