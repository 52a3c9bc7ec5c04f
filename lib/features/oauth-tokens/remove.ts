import type { AuditAction } from '../../contract/audit.ts';
import { auditRemovalWrite } from '../../core/audit-removal.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { findProvider } from '../../core/items/oauth-providers.ts';
import { keepRevocation, type Revocation, revocationOf } from '../../core/items/oauth-revocations.ts';
import type { OAuthToken } from '../../core/items/oauth-token-shapes.ts';
import { findTokenPlace, ownerOf } from '../../core/items/oauth-tokens.ts';
import { isFrom } from '../../core/oauth/token-rules.ts';
import { retryRaces, transact } from '../../store/dynamodb/transact.ts';
import { connectionsOfToken, removeConnectionsOf } from '../oauth-connections/store.ts';
import { removeTokenWrites } from './store.ts';

type RemoveDeps = Pick<Deps, 'table' | 'clock' | 'settings'>;
/** `revocation`: what its provider is still to be told, if it can be. */
export type Removed = { revocation: Revocation | undefined };

const ACTION: AuditAction = 'oauth_token.delete';

/**
 * Removes a token with the connections that use it, and keeps what is to be revoked, in one transaction: from
 * then on nobody is given it here, whatever becomes of the revocation. Undefined when it is gone already.
 */
export function removeToken(
  deps: RemoveDeps,
  token: OAuthToken,
  caller: Caller,
): Promise<Removed | undefined> {
  return retryRaces(deps.table, async () => {
    const owner = ownerOf(token);
    const place = await findTokenPlace(deps.table, owner, token.id);
    if (place === undefined) return undefined;
    const connections = await connectionsOfToken(deps.table, owner.tenantId, token.id);
    const revocation = await revocationFor(deps, token);
    await transact(deps.table, [
      ...removeTokenWrites(token, place),
      ...removeConnectionsOf(token, connections),
      ...(revocation === undefined ? [] : [keepRevocation(revocation)]),
      auditRemovalWrite(deps, { action: ACTION, subject_id: token.id }, caller),
    ]);
    return { revocation };
  });
}

/** Nothing for a provider that is gone, is another one by now, or takes no revocations. */
async function revocationFor(deps: RemoveDeps, token: OAuthToken): Promise<Revocation | undefined> {
  const provider = await findProvider(deps.table, token.organization_id, token.provider_id);
  if (provider?.revocation_url === undefined || !isFrom(token, provider)) return undefined;
  return revocationOf(token, { id: deps.clock.orderedId(), now: deps.clock.now() });
}
