import { oidcProvider } from '../../adapters/identity-provider.ts';
import { refuse } from '../../contract/errors.ts';
import { once } from '../../contract/once.ts';
import { lackedToGive } from '../../contract/roles.ts';
import { OIDC_AUDIENCE, OIDC_ISSUER } from '../../settings/functions.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';

import type { ApiKeyItem } from '../items/api-keys.ts';
import { findMember, type MemberItem, memberIdOf, tenantsOfMember } from '../items/members.ts';
import { tenantIdIn } from '../items/tenants.ts';
import { refusedAs } from './refused.ts';

type BearerDeps = Pick<Deps, 'table' | 'identityProvider'>;

/** A token says who asks, and nothing of what they may. */
type User = { userId: string; keyId: string };

/** How many tenants `GET /v2/me` shows, of a user and of an organization alike. */
export const TENANTS_MAX = 100;

/** How our keys begin; no issuer's tokens do. Such a text is refused without asking the table. */
const LOOKS_LIKE_KEY = /^(?:Bearer +)?slp_/i;

/** Stands for the key's id in what a user did without a key. */
export const NO_KEY = 'bearer';

/** The issuer that the function's own environment names, if any. */
const environmentProvider = once(() => {
  const [issuer, audience] = [OIDC_ISSUER(), OIDC_AUDIENCE()];
  return oidcProvider(issuer && audience ? { issuer, audience } : undefined, Date.now);
});

/**
 * Who asks with a bearer token: its subject, in the role that they have in the tenant that the request
 * picks, or in their only one. Throws `tenant_required` where they have several, `membership_none` and
 * `membership_missing`.
 */
export async function bearerCaller(
  deps: BearerDeps,
  authorization: string,
  tenantId: string | undefined,
): Promise<Caller> {
  const known = await bearerUser(deps, authorization);
  const part =
    tenantId === undefined ? await onlyMembership(deps, known) : await membership(deps, known, tenantId);
  const actor = { kind: 'person', name: known.userId } as const;
  return { ...part, ...known, listenerId: undefined, maker: { kind: 'bearer' }, actor };
}

/** Whose token it is. Throws `unauthenticated`. */
export async function bearerUser(deps: BearerDeps, authorization: string): Promise<User> {
  if (LOOKS_LIKE_KEY.test(authorization)) throw refuse('unauthenticated', { isKeyAsBearer: true });
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  const provider = deps.identityProvider ?? environmentProvider();
  const userId = token === undefined ? undefined : await provider.subjectOf(token);
  if (userId === undefined) throw refuse('unauthenticated', {});
  return { userId, keyId: NO_KEY };
}

type Membership = Pick<MemberItem, 'role' | 'organization_id'> & { tenantId: string };

/** Where a user is a member, newest tenant first; at most `limit` are looked at. */
export async function membershipsOf(
  { table }: BearerDeps,
  { userId }: User,
  limit = TENANTS_MAX,
): Promise<Membership[]> {
  const id = memberIdOf(userId);
  const tenants = await tenantsOfMember(table, id, limit);
  const found = await Promise.all(
    tenants.map(async (tenantId) => ({ tenantId, member: await findMember(table, tenantId, id) })),
  );
  return found.flatMap(({ tenantId, member }) => (isOf(userId, member) ? [{ tenantId, ...member }] : []));
}

/** Rows of those who are no members any more go with them: hardly one is found beside the only one. */
const LOOKED_AT_MAX = 5;

async function onlyMembership(
  deps: BearerDeps,
  known: User,
): Promise<Pick<Caller, 'tenantId' | 'organizationId' | 'role'>> {
  const [only, another] = await membershipsOf(deps, known, LOOKED_AT_MAX);
  if (only === undefined) throw refusedAs(refuse('membership_none', {}), known);
  if (another !== undefined) throw refusedAs(refuse('tenant_required', {}), known);
  return { tenantId: only.tenantId, organizationId: only.organization_id, role: only.role };
}

/** The member who a key of a login acts as, if their role is still not below the key's. */
export async function memberWith(
  { table }: BearerDeps,
  { tenant_id: tenantId, user_id: userId, role }: ApiKeyItem,
): Promise<MemberItem | undefined> {
  if (tenantId === undefined) return undefined;
  const found = await findMember(table, tenantId, memberIdOf(userId));
  return isOf(userId, found) && lackedToGive(found.role, role) === undefined ? found : undefined;
}

// The user is compared too, in case two subjects have the same id.
const isOf = (userId: string, member: MemberItem | undefined): member is MemberItem =>
  member !== undefined && member.removed_at === undefined && member.user_id === userId;

async function membership(
  { table }: BearerDeps,
  known: User,
  asked: string,
): Promise<Pick<Caller, 'tenantId' | 'organizationId' | 'role'>> {
  const tenantId = tenantIdIn(asked);
  const { userId } = known;
  const found = tenantId ? await findMember(table, tenantId, memberIdOf(userId)) : undefined;
  if (!tenantId || !isOf(userId, found))
    throw refusedAs(refuse('membership_missing', { tenant: asked }), known);
  return { tenantId, organizationId: found.organization_id, role: found.role };
}
