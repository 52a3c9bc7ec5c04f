import { refuse } from '../../contract/errors.ts';
import { allows, roleMatrix } from '../../contract/roles.ts';
import { type Caller } from '../../core/caller.ts';
import {
  type Credentials,
  type Identity,
  type IdentityDeps,
  identify,
} from '../../core/identity/authenticate.ts';
import { bearerCaller, bearerUser, membershipsOf, TENANTS_MAX } from '../../core/identity/bearer.ts';
import type { KeyUses } from '../../core/identity/key-uses.ts';
import { lacksPermission } from '../../core/identity/permission-refusals.ts';
import { refusedAs } from '../../core/identity/refused.ts';
import { findTenant } from '../../core/items/tenants.ts';
import { tenantRows } from '../tenants/store.ts';
import type { MeView } from './shape.ts';

/**
 * Who the credential is and what it may do. Throws as authentication does, `permission_missing` and
 * `membership_none`.
 */
export async function showMe(deps: IdentityDeps, credentials: Credentials, uses: KeyUses): Promise<MeView> {
  const { apiKey, authorization, tenantId } = credentials;
  if (apiKey === undefined && authorization !== undefined) return showMember(deps, authorization, tenantId);
  const who = await identify(deps, credentials, uses);
  if (!allows(who.role, 'self:read')) throw lacksPermission(who, 'self:read');
  return {
    user_id: who.userId,
    key_id: who.keyId,
    organization_id: who.organizationId,
    tenant_id: who.tenantId ?? null,
    role: who.role,
    permissions: [...roleMatrix[who.role]],
    expires_at: who.expiresAt ?? null,
    is_session: who.isSession,
    exchange: exchangeOf(who),
    tenants: await tenantsOf(deps, who),
  };
}

function exchangeOf({ exchange }: Identity): MeView['exchange'] {
  if (exchange === undefined) return null;
  const { rule_id, issuer, repository = null, ref = null, run_id = null } = exchange;
  return { rule_id, issuer, repository, ref, run_id };
}

/**
 * A person with a token of the issuer. One who is a member of a single tenant need not name it; who is of
 * several has a role in each of them, so without a name there is none to show.
 */
async function showMember(
  deps: IdentityDeps,
  authorization: string,
  asked: string | undefined,
): Promise<MeView> {
  const user = await bearerUser(deps, authorization);
  const own = await membershipsOf(deps, user);
  const [first, second] = own;
  const single = first !== undefined && second === undefined ? first.tenantId : undefined;
  const picked = asked ?? single;
  if (picked === undefined && first === undefined) throw refusedAs(refuse('membership_none', {}), user);
  const caller = picked === undefined ? undefined : await bearerCaller(deps, authorization, picked);
  const tenants = await namesOf(
    deps,
    own.map(({ tenantId }) => tenantId),
    caller,
  );
  return {
    user_id: user.userId,
    key_id: null,
    organization_id: caller?.organizationId ?? null,
    tenant_id: caller?.tenantId ?? null,
    role: caller?.role ?? null,
    permissions: caller === undefined ? ['self:read'] : [...roleMatrix[caller.role]],
    expires_at: null,
    is_session: false,
    exchange: null,
    tenants,
  };
}

async function namesOf(
  { table }: IdentityDeps,
  own: string[],
  caller: Caller | undefined,
): Promise<MeView['tenants']> {
  const ids = new Set([...own, ...(caller === undefined ? [] : [caller.tenantId])]);
  const found = await Promise.all([...ids].map((id) => findTenant(table, id)));
  return found.flatMap((each) => (each === undefined ? [] : [{ id: each.tenant_id, name: each.name }]));
}

/** An organization's credential opens all of its tenants, any other one the one that it is of. */
async function tenantsOf({ table }: IdentityDeps, who: Identity): Promise<MeView['tenants']> {
  if (!who.ofOrganization) {
    const found = who.tenantId === undefined ? undefined : await findTenant(table, who.tenantId);
    return found === undefined ? [] : [{ id: found.tenant_id, name: found.name }];
  }
  const tenants: MeView['tenants'] = [];
  for await (const { sk, name } of tenantRows(table, who.organizationId, TENANTS_MAX)) {
    tenants.push({ id: sk, name });
    if (tenants.length === TENANTS_MAX) break;
  }
  return tenants;
}
