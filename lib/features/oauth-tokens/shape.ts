import * as z from 'zod';
import { anyObject, asGiven } from '../../contract/validation/as-given.ts';
import { freeObject, freeText, withoutNulls } from '../../contract/validation/json.ts';
import { report, valueError } from '../../contract/validation/problems.ts';
import { id } from '../../contract/validation/query.ts';
import { time } from '../../contract/validation/time.ts';

/** What a user has granted at a provider. Access and refresh tokens are never part of what is listed. */

const NAME_LENGTH_MAX = 256;
const SCOPES_MAX = 100;
const SCOPE_LENGTH_MAX = 512;
/** Tokens that describe themselves have some thousand characters. */
const TOKEN_LENGTH_MAX = 16_384;
export const METADATA_NAMES_MAX = 50;

/** A person or an agent, in the caller's own words; part of a key, so neither endless nor invisible. */
export const claimedName = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .regex(/^\P{Cc}+$/u, 'a name contains no control characters');

/** RFC 6749, section 3.3: printable ASCII without space, `"` and `\`. */
export const oauthScopes = z
  .array(
    z
      .string()
      .max(SCOPE_LENGTH_MAX)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/),
  )
  .max(SCOPES_MAX);

/** What travels in a header (RFC 6750): no spaces, no control characters. */
const token = z
  .string()
  .min(1)
  .max(TOKEN_LENGTH_MAX)
  .regex(/^[\x21-\x7e]+$/);

const metadata = asGiven(freeObject, (value, ctx) => {
  if (Object.keys(value).length > METADATA_NAMES_MAX)
    report(ctx, valueError(`at most ${METADATA_NAMES_MAX} names`));
});

/** `?provider_id=` of what is about one provider. */
export const providerQuery = z.object({ provider_id: freeText });

export const tokenParams = z.object({ token_id: id });

/** `POST /v2/auth/tokens/import`: a grant that was given to the same client elsewhere. */
export const importTokenBody = z
  .object({
    provider_id: freeText,
    access_token: token,
    refresh_token: token.nullish(),
    /** Of the access token. */
    expires_at: time.nullish(),
    scopes: oauthScopes.nullish(),
    user_id: claimedName.nullish(),
    agent_id: claimedName.nullish(),
    provider_account_label: claimedName.nullish(),
    is_default: z.boolean().nullish(),
    metadata: metadata.nullish(),
  })
  .transform(withoutNulls);
export type ImportTokenBody = z.output<typeof importTokenBody>;

/**
 * `PATCH …/{token_id}/metadata`: what is absent stays; `metadata` replaces what was there, `{}` clears it.
 */
export const changeTokenBody = z
  .object({
    metadata: metadata.nullish(),
    provider_account_label: claimedName.nullish(),
    is_default: z.boolean().nullish(),
  })
  .transform(withoutNulls);
export type ChangeTokenBody = z.output<typeof changeTokenBody>;

export const oauthTokenView = z.object({
  id: z.guid(),
  provider_id: z.string(),
  provider_account_label: z.string().nullable(),
  user_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  scopes: z.array(z.string()),
  /** `expired`: the provider takes the grant no more; the person has to consent again. */
  status: z.enum(['active', 'expired']),
  is_default: z.boolean(),
  /** Of the access token, which is refreshed when it is asked for. */
  expires_at: z.string().nullable(),
  has_refresh_token: z.boolean(),
  metadata: anyObject(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type OAuthTokenView = z.input<typeof oauthTokenView>;

export const oauthTokenListView = z.array(oauthTokenView);

export const deletedTokensView = z.object({ message: z.string(), provider_id: z.string(), deleted: z.int() });

export const tokenExistsView = z.object({ has_token: z.boolean() });
