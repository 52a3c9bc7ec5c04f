import * as z from 'zod';
import { roles } from './roles.ts';

/** What is kept as an audit event: the kind of thing and the verb. docs/identity.md says what each tells. */
export const auditActions = [
  'deployment.create',
  'deployment.change',
  'deployment.delete',
  'revision.create',
  'revision.redeploy',
  'revision.interrupt',
  'revision.release_threads',
  'revision_spec.read',
  'upload_url.create',
  'push_token.create',
  'registry_credentials.create',
  'listener.create',
  'listener.change',
  'listener.delete',
  'integration.create',
  'integration.change',
  'integration.delete',
  'webhook.create',
  'webhook.change',
  'webhook.delete',
  'webhook.test',
  'webhook.redeliver',
  'webhook.disable',
  'api_key.create',
  'api_key.revoke',
  'api_key.exchange',
  'token_rule.create',
  'token_rule.delete',
  'console_link.create',
  'console_session.create',
  'console_session.delete',
  'device_login.confirm',
  'device_login.deny',
  'device_login.create',
  'device_login.delete',
  'tenant.create',
  'tenant.change',
  'membership.change',
  'membership.remove',
  'oauth_provider.create',
  'oauth_provider.change',
  'oauth_provider.delete',
  'oauth_token.create',
  'oauth_token.change',
  'oauth_token.delete',
  'oauth_token.read',
  'consent.request',
  'connection.create',
  'connection.delete',
  'request.refuse',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What an event says beside who did what to which thing; which of these depends on its action. */
export const auditDetails = z.object({
  /** Of the key or the member. */
  role: z.enum(roles).optional(),
  /** Of the key: for one tenant, or for all of the organization. */
  scope: z.enum(['tenant', 'organization']).optional(),
  /** Enough to recognise the key by, too little to use it. */
  hint: z.string().optional(),
  /** Who the member is, or whom the key acts as. */
  user_id: z.string().optional(),
  /** The rule by which a token of CI was exchanged for the key. */
  rule_id: z.string().optional(),
  /** Of the rule, or of the token. */
  issuer: z.string().optional(),
  /** Of the rule its number; of the token its name. */
  repository: z.string().optional(),
  ref: z.string().optional(),
  run_id: z.string().optional(),
  /** Of a refusal. */
  status: z.int().optional(),
  /** Of a refusal, the code of its error; of another request, why it was made, in the person's own words. */
  reason: z.string().optional(),
  /** The operation that was asked for. */
  operation: z.string().optional(),
  /** Where the request came from. */
  source_address: z.string().optional(),
  /**
   * What kind of credential came with it: the hint of a key, `bearer`, `malformed`, `none`; `various` of
   * several callers together.
   */
  credential: z.string().optional(),
});
export type AuditDetails = z.infer<typeof auditDetails>;
