import * as z from 'zod';
import { address } from '../../contract/validation/address.ts';
import { asGiven } from '../../contract/validation/as-given.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { resourceName } from '../../contract/validation/name.ts';
import { always, report, valueError } from '../../contract/validation/problems.ts';

/** OAuth providers of an organization in requests and responses. The client secret is never in a response. */

export const userBindings = ['browser', 'strict'] as const;
const tokenEndpointAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

const NAME_LENGTH_MAX = 128;
const CREDENTIAL_LENGTH_MAX = 2048;
const ADDRESS_LENGTH_MAX = 2048;
const PARAMETERS_MAX = 32;
const REDIRECT_URIS_MAX = 32;

export const providerId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, "a provider_id has 1 to 128 letters, digits, '.', '_' and '-'");

/** `VSCHAR` of RFC 6749, appendix A. */
const credential = z
  .string()
  .min(1)
  .max(CREDENTIAL_LENGTH_MAX)
  .regex(/^[\x20-\x7e]+$/);

/** What the protocol itself says in an authorization request, or what would put other words in its place. */
const ownParameters = new Set([
  ...['client_id', 'client_secret', 'redirect_uri', 'state', 'response_type', 'response_mode', 'scope'],
  ...['resource', 'request', 'request_uri'],
]);
const isOwnParameter = (key: string): boolean => ownParameters.has(key) || key.startsWith('code_challenge');

/** zod passes over a key of this name; it may be as any other. */
const PASSED_OVER = '__proto__';

function checkPassedOver(params: Record<string, string>, ctx: z.RefinementCtx): void {
  if (!Object.hasOwn(params, PASSED_OVER)) return;
  const value: unknown = Object.getOwnPropertyDescriptor(params, PASSED_OVER)?.value;
  for (const issue of parameterValue.safeParse(value, { reportInput: true }).error?.issues ?? [])
    ctx.addIssue({ ...issue, path: [PASSED_OVER] });
}

function checkParameters(params: Record<string, string>, ctx: z.RefinementCtx): void {
  checkPassedOver(params, ctx);
  const keys = Object.keys(params);
  if (keys.length > PARAMETERS_MAX) report(ctx, valueError(`at most ${PARAMETERS_MAX} parameters`));
  for (const key of keys.filter(isOwnParameter))
    report(ctx, valueError(`'${key}' is set by the protocol and cannot be given here`), [key]);
}

const parameterValue = z.string().max(ADDRESS_LENGTH_MAX);
const authorizationParams = asGiven(
  z.record(z.string().min(1).max(NAME_LENGTH_MAX), parameterValue),
  checkParameters,
);

/** What may be given at creation and changed later. */
const settings = {
  client_secret: credential.nullish(),
  uses_pkce: z.boolean().nullish(),
  code_challenge_method: z.literal('S256').nullish(),
  provider_type: z.string().max(NAME_LENGTH_MAX).nullish(),
  token_endpoint_auth_method: z.enum(tokenEndpointAuthMethods).nullish(),
  authorization_params: authorizationParams.nullish(),
  allowed_redirect_uris: z.array(address).max(REDIRECT_URIS_MAX).nullish(),
  mcp_server_url: address.nullish(),
  user_binding: z.enum(userBindings).nullish(),
};

/** `POST /v2/auth/providers`. */
export const createProviderBody = z
  .object({
    provider_id: providerId,
    name: resourceName,
    client_id: credential,
    auth_url: address,
    token_url: address,
    ...settings,
  })
  .superRefine(
    ({ client_secret: secret, uses_pkce: pkce }: { client_secret?: unknown; uses_pkce?: unknown }, ctx) => {
      if (typeof secret !== 'string' && pkce === false)
        report(ctx, valueError('a client without a secret uses PKCE'), ['uses_pkce']);
    },
    always,
  )
  .transform(withoutNulls);
export type CreateProviderBody = z.output<typeof createProviderBody>;

/** `PATCH /v2/auth/providers/{provider_id}`: what is absent stays. */
export const changeProviderBody = z
  .object({
    /** Sent back as it is; another one is refused. */
    provider_id: z.string().nullish(),
    name: resourceName.nullish(),
    client_id: credential.nullish(),
    auth_url: address.nullish(),
    token_url: address.nullish(),
    ...settings,
  })
  .transform(withoutNulls);
export type ChangeProviderBody = z.output<typeof changeProviderBody>;

/** `POST /v2/auth/providers/mcp-discover`. */
export const discoverProviderBody = z.object({
  provider_id: providerId,
  name: resourceName,
  mcp_server_url: address,
});

export const providerView = z.object({
  id: z.guid(),
  organization_id: z.guid(),
  provider_id: z.string(),
  name: z.string(),
  client_id: z.string(),
  auth_url: z.string(),
  token_url: z.string(),
  uses_pkce: z.boolean(),
  code_challenge_method: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  provider_type: z.string().nullable(),
  mcp_server_url: z.string().nullable(),
  token_endpoint_auth_method: z.string(),
  authorization_params: asGiven(z.record(z.string(), z.string())),
  is_dynamic_client: z.boolean(),
  allowed_redirect_uris: z.array(z.string()),
  user_binding: z.enum(userBindings),
});
export type ProviderView = z.input<typeof providerView>;

export const providerListView = z.array(providerView);

export const deletedProviderView = z.object({ message: z.string(), provider_id: z.string() });
