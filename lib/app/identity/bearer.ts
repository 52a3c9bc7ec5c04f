import { oidcProvider } from '../../adapters/identity-provider.ts';
import { variable } from '../../contract/env.ts';
import { refuse } from '../../contract/errors.ts';
import { once } from '../../contract/once.ts';
import { findMember } from '../../store/identity/members.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { memberIdOf } from './member-id.ts';
import { refusedAs } from './refused.ts';
import { tenantIdIn } from './tenant-id.ts';

type BearerDeps = Pick<Deps, 'table' | 'identityProvider'>;

/** Stands for the key's id in what a user did without a key. */
const NO_KEY = 'bearer';

/** The issuer that the function's own environment names, if any. */
const environmentProvider = once(() => {
  const [issuer, audience] = [variable('OIDC_ISSUER'), variable('OIDC_AUDIENCE')];
  return oidcProvider(issuer && audience ? { issuer, audience } : undefined, Date.now);
});

/**
 * Who asks with a bearer token: its subject, in the role that they have in the tenant that the request picks.
 */
export async function bearerCaller(
  deps: BearerDeps,
  authorization: string,
  tenantId: string | undefined,
): Promise<Caller> {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  const provider = deps.identityProvider ?? environmentProvider();
  const userId = token === undefined ? undefined : await provider.subjectOf(token);
  if (userId === undefined) throw refuse('unauthenticated', {});
  const known = { userId, keyId: NO_KEY };
  if (tenantId === undefined) throw refusedAs(refuse('tenant_required', {}), known);
  return { ...(await membership(deps, known, tenantId)), ...known, listenerId: undefined };
}

async function membership(
  { table }: BearerDeps,
  known: { userId: string; keyId: string },
  asked: string,
): Promise<Pick<Caller, 'tenantId' | 'organizationId' | 'role'>> {
  const tenantId = tenantIdIn(asked);
  const { userId } = known;
  const found = tenantId && (await findMember(table, tenantId, memberIdOf(userId)));
  // The user is compared too, in case two subjects have the same id.
  if (!found || found.removed_at !== undefined || found.user_id !== userId)
    throw refusedAs(refuse('membership_missing', { tenant: asked }), known);
  return { tenantId, organizationId: found.organization_id, role: found.role };
}
