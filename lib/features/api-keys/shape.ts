import * as z from 'zod';
import { roles } from '../../contract/roles.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { resourceName } from '../../contract/validation/name.ts';
import { always, missing, report, valueError } from '../../contract/validation/problems.ts';
import { id, orNull, page } from '../../contract/validation/query.ts';
import { time } from '../../contract/validation/time.ts';

/** API keys in requests and responses. docs/identity.md explains them. */

const keyScopes = ['tenant', 'organization'] as const;

const given = (value: unknown): boolean => value !== undefined && value !== null;

/** What the fields of a new key ask for must fit together. */
function checkFit(body: unknown, ctx: z.RefinementCtx): void {
  if (typeof body !== 'object' || body === null) return;
  const { role, listener_id, tenant_id, scope }: Record<string, unknown> = { ...body };
  if (role === 'listener') {
    if (!given(listener_id)) report(ctx, missing, ['listener_id']);
    if (scope === 'organization')
      report(ctx, valueError("a listener's key belongs to one tenant"), ['scope']);
  } else if (given(listener_id)) {
    report(ctx, valueError("only a key of the role 'listener' is bound to a listener"), ['listener_id']);
  }
  if (given(tenant_id) && scope === 'organization')
    report(ctx, valueError('a key of the organization names no tenant'), ['tenant_id']);
}

/** `POST /v2/api-keys`. */
export const createApiKeyBody = z
  .object({
    name: resourceName,
    role: z.enum(roles),
    /** In the future, and no later than its maker allows; absent: then. Epoch milliseconds once parsed. */
    expires_at: time.nullish(),
    /** For the role `listener`: the listener that it speaks for. */
    listener_id: id.nullish(),
    /** May be named, and only be the tenant of the request. */
    tenant_id: id.nullish(),
    /** `organization`: it opens every tenant, and each request names its own. Absent: `tenant`. */
    scope: z.enum(keyScopes).nullish(),
    /** The key acts as a new user of its own instead of its maker; a listener's always does. */
    service_user: z.boolean().nullish(),
  })
  .superRefine(checkFit, always)
  .transform(withoutNulls);
export type CreateApiKeyBody = z.output<typeof createApiKeyBody>;

/** `GET /v2/api-keys`: the tenant's, or those of the organization. */
export const listApiKeysQuery = z.object({ ...page, scope: orNull(z.enum(keyScopes).default('tenant')) });

/** A key as lists show it; the key itself is in the answer that made it and nowhere else. */
const apiKeyShape = {
  id: z.guid(),
  name: z.string(),
  /** The first and last characters. */
  hint: z.string(),
  role: z.enum(roles),
  organization_id: z.guid(),
  /** Null: a key of the whole organization. */
  tenant_id: z.guid().nullable(),
  /** Who it acts as. */
  user_id: z.string(),
  listener_id: z.guid().nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  /** To the hour; null when it was not used since it was made. */
  last_used_at: z.string().nullable(),
};
const apiKeyView = z.object(apiKeyShape);
export type ApiKeyView = z.input<typeof apiKeyView>;

export const createdApiKeyView = z.object({ ...apiKeyShape, key: z.string() });
export const apiKeyListView = z.object({ resources: z.array(apiKeyView), offset: z.int() });
