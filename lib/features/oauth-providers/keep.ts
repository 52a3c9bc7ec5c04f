import { refuse } from '../../contract/errors.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findProviderById, type OAuthProvider } from '../../core/items/oauth-providers.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import type { ProviderView } from './shape.ts';
import { putProvider } from './store.ts';
import { providerViewOf } from './view.ts';

/**
 * Writes a new provider, and shows it. Throws 409 when its name is taken, also by the `id` of another one:
 * requests may name that so.
 */
export async function keepProvider(
  deps: Pick<Deps, 'table' | 'clock' | 'idempotency'>,
  item: OAuthProvider,
  caller: Caller,
): Promise<ProviderView> {
  const { provider_id: providerId, organization_id: organizationId } = item;
  if ((await findProviderById(deps.table, organizationId, providerId)) !== undefined)
    throw refuse('oauth_provider_taken', { providerId });
  const shown = providerViewOf(item);
  const audit = auditMarkOf(deps, { action: 'oauth_provider.create', subject_id: providerId }, caller);
  try {
    await transact(deps.table, [putProvider(item, audit), ...deps.idempotency.record(shown)]);
  } catch (error) {
    throw error instanceof ConditionsFailed ? refuse('oauth_provider_taken', { providerId }) : error;
  }
  return shown;
}

/** What every new provider begins with. */
export function newProvider({ clock }: Pick<Deps, 'clock'>, { organizationId, userId }: Caller) {
  const now = new Date(clock.now()).toISOString();
  return {
    v: 1,
    entity: 'oauth_provider',
    organization_id: organizationId,
    id: clock.orderedId(),
    version: 1,
    created_at: now,
    updated_at: now,
    created_by: userId,
  } as const;
}
