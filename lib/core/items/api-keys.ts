import * as z from 'zod';
import { roles } from '../../contract/roles.ts';
import { absent, check, guard, present, put } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { apiKeyRowKey, type Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import type { AuditMark } from './audit-events.ts';

export const apiKeyKey = (hash: string): Key => ({ pk: `K#${hash}`, sk: 'A' });

export const apiKey = z.object({
  v: z.literal(4),
  entity: z.literal('api_key'),
  id: z.string(),
  organization_id: z.string(),
  /** Absent: the key is the organization's, each request names its tenant. */
  tenant_id: z.string().optional(),
  user_id: z.string(),
  role: z.enum(roles),
  listener_id: z.string().optional(),
  name: z.string(),
  hint: z.string(),
  created_at: z.string(),
  expires_at: z.string().optional(),
  revoked_at: z.string().optional(),
  /** The hash of the key that this one ends with: it is of a session of the console, or of a login. */
  made_with: z.string().optional(),
  /**
   * `login`: a program was let in with a code that a person confirmed. Without `made_with` that person had no
   * key: it ends when their role in the tenant does.
   */
  kind: z.enum(['login']).optional(),
  /** The token of CI that it was exchanged for: it ends with the rule that took it. The rest is for people. */
  exchange: z
    .object({
      rule_id: z.string(),
      issuer: z.string(),
      repository: z.string().optional(),
      ref: z.string().optional(),
      run_id: z.string().optional(),
    })
    .optional(),
});
/** The second version may have `made_with`, the third `kind`, the fourth `exchange`. */
export const anyApiKey = alsoEarlier(apiKey, 4);
export type ApiKeyItem = z.infer<typeof apiKey>;

/**
 * What lists of keys walk over; thin, so that it costs little to pass over. Owner and id are in its key
 * alone.
 */
export const apiKeyRow = z.object({
  v: z.literal(1),
  entity: z.literal('api_key_row'),
  /** The key's id. */
  sk: z.string(),
  /** Where the key itself lies. */
  hash: z.string(),
  /** Epoch milliseconds, to the hour. */
  last_used_at: z.number().optional(),
});
export type ApiKeyRow = z.infer<typeof apiKeyRow>;

/** Whether a key is of a session of the console. */
export const isOfSession = ({ made_with, kind }: Pick<ApiKeyItem, 'made_with' | 'kind'>): boolean =>
  made_with !== undefined && kind === undefined;

/** Whether a key is over by itself, and with what it was made with: such keys are not counted. */
export const isLent = ({ made_with, kind, exchange }: ApiKeyItem): boolean =>
  made_with !== undefined || kind === 'login' || exchange !== undefined;

/** Whom keys are listed for: a tenant, or an organization with those that are of no one tenant. */
export type KeyOwner = { organizationId: string; tenantId: string | undefined };

export const ownerOfKey = (key: Pick<ApiKeyItem, 'organization_id' | 'tenant_id'>): KeyOwner => ({
  organizationId: key.organization_id,
  tenantId: key.tenant_id,
});

/** The key with this hash, whether it may still be used or not. */
export const findApiKey = (table: Table, hash: string): Promise<ApiKeyItem | undefined> =>
  find(table, apiKeyKey(hash), anyApiKey);

export const findApiKeyRow = (table: Table, owner: KeyOwner, id: string): Promise<ApiKeyRow | undefined> =>
  find(table, apiKeyRowKey(owner, id), apiKeyRow);

/** Demands that a key was not revoked. */
export const checkApiKey = (hash: string): Write =>
  check('maker', apiKeyKey(hash), present('pk'), absent('revoked_at'));

/** The name of the write that fails when a key cannot be revoked. */
export const API_KEY = 'api_key';
export const API_KEY_ROW = 'api_key_row';

export const apiKeyRowOf = (hash: string): Omit<ApiKeyRow, 'sk'> => ({ v: 1, entity: 'api_key_row', hash });

/**
 * The earliest version that has all that a key has. The release before reads such keys, while an upgrade is
 * under way and after it was taken back.
 */
const versionOf = ({ kind, exchange }: ApiKeyItem): number =>
  exchange !== undefined ? 4 : kind !== undefined ? 3 : 2;

/**
 * Stores a new key under its hash, and its row in the list of its owner. `audit`: who asked for it. One of a
 * session, a login or a job is forgotten when it is over.
 */
export function putApiKey(item: ApiKeyItem, hash: string, audit: AuditMark | undefined): Write[] {
  const isForgotten = isLent(item) && item.expires_at !== undefined;
  const isNew = guard('key: not made before', absent('pk'));
  const over = isForgotten ? { ttl: Math.ceil(Date.parse(item.expires_at ?? '') / 1000) } : {};
  return [
    put(API_KEY, { ...apiKeyKey(hash), ...item, v: versionOf(item), audit, ...over }, isNew),
    put(API_KEY_ROW, { ...apiKeyRowKey(ownerOfKey(item), item.id), ...apiKeyRowOf(hash), ...over }, isNew),
  ];
}
