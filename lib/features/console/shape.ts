import * as z from 'zod';
import { permissions, roles } from '../../contract/roles.ts';

/** Signing in to the console, and what it has to know of who has. */

/** `GET /v2/me`. */
export const meView = z.object({
  user_id: z.string(),
  /** Null: a bearer token. */
  key_id: z.string().nullable(),
  /** Null: a bearer token of a member of several tenants, and the request names none. */
  organization_id: z.guid().nullable(),
  /** Null: the credential is good for several tenants, and the request names none. */
  tenant_id: z.guid().nullable(),
  /** Null: as `organization_id`; a member has a role in each of the tenants. */
  role: z.enum(roles).nullable(),
  permissions: z.array(z.enum(permissions)),
  /** When the credential is over; null: it does not expire, or is a bearer token. */
  expires_at: z.string().nullable(),
  /** Whether it is a session of the console. */
  is_session: z.boolean(),
  /** The token of CI that the key was exchanged for, by which rule; null: none. */
  exchange: z
    .object({
      rule_id: z.string(),
      issuer: z.string(),
      repository: z.string().nullable(),
      ref: z.string().nullable(),
      run_id: z.string().nullable(),
    })
    .nullable(),
  /** The tenants that the credential opens, newest first; the first hundred of an organization. */
  tenants: z.array(z.object({ id: z.guid(), name: z.string() })),
});
export type MeView = z.input<typeof meView>;

/** A link to the console: what follows `#code=` signs in, once. */
export const consoleLinkView = z.object({ url: z.string(), expires_at: z.string() });

const CODE_CHARACTERS_MAX = 128;

/** `POST /v2/console-sessions`. */
export const consoleSessionBody = z.object({ code: z.string().min(1).max(CODE_CHARACTERS_MAX) });

/** The key of a session: an API key that ends with the key that its link was made with. */
export const consoleSessionView = z.object({ api_key: z.string(), expires_at: z.string() });

/** `GET /v2/sign-in`: how a person proves who they are without a key; null: not at all. */
export const signInView = z.object({
  oidc: z
    .object({
      issuer: z.string(),
      client_id: z.string(),
      /** Whom a token must be for that the API accepts. */
      audience: z.string(),
      /** Null: the issuer's metadata says it. */
      token_endpoint: z.string().nullable(),
    })
    .nullable(),
});
export type SignInView = z.input<typeof signInView>;
