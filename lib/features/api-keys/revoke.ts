import { refuse } from '../../contract/errors.ts';
import { allows } from '../../contract/roles.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { auditedKey } from '../../core/identity/issue-api-key.ts';
import { refusalOfRole } from '../../core/identity/permission-refusals.ts';
import {
  API_KEY,
  type ApiKeyRow,
  findApiKey,
  findApiKeyRow,
  type KeyOwner,
} from '../../core/items/api-keys.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { revokeApiKey as row } from './routes.ts';
import { revokeApiKeyWrites } from './store.ts';

/**
 * Revokes a key of the tenant, or of the organization by who may, whose role is not above the caller's: the
 * next request with it is refused.
 */
export async function revokeApiKey(
  deps: Pick<Deps, 'table' | 'clock'>,
  { params }: Pick<RouteInput<typeof row>, 'params'>,
  caller: Caller,
): Promise<undefined> {
  const { key_id: id } = params;
  const found = await findInReach(deps, id, caller);
  if (found === undefined) throw refuse('api_key_not_found', { id });
  const key = await findApiKey(deps.table, found.row.hash);
  const audit = auditMarkOf(deps, { action: 'api_key.revoke', details: key && auditedKey(key) }, caller);
  const asked = { key, by: caller.role, now: deps.clock.now(), audit };
  try {
    await transact(deps.table, revokeApiKeyWrites(found.owner, found.row, asked));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    throw refusalOfRole(caller, error.failed.get(API_KEY)) ?? refuse('api_key_not_found', { id });
  }
  return undefined;
}

async function findInReach(
  { table }: Pick<Deps, 'table'>,
  id: string,
  { organizationId, tenantId, role }: Caller,
): Promise<{ owner: KeyOwner; row: ApiKeyRow } | undefined> {
  const ofAll = allows(role, 'organization_keys:write') ? [{ organizationId, tenantId: undefined }] : [];
  for (const owner of [{ organizationId, tenantId }, ...ofAll]) {
    const row = await findApiKeyRow(table, owner, id);
    if (row !== undefined) return { owner, row };
  }
  return undefined;
}
