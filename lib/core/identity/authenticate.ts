import { refuse } from '../../contract/errors.ts';
import type { Actor, Caller, KeyMaker } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { type ApiKeyItem, findApiKey, isOfSession } from '../items/api-keys.ts';
import { findTenant, tenantIdIn } from '../items/tenants.ts';
import { isTokenRule } from '../items/token-rule-ends.ts';
import { hashOf, isWellFormed } from './api-key.ts';
import { bearerCaller, memberWith } from './bearer.ts';
import type { KeyUses } from './key-uses.ts';
import { type Known, refusedAs } from './refused.ts';

/**
 * What a request proves who asks with, and the tenant that it picks; `authorization` is the header as it
 * came.
 */
export type Credentials = {
  apiKey: string | undefined;
  authorization?: string | undefined;
  tenantId: string | undefined;
};

/** What authentication needs, whatever the use case itself needs. */
export type IdentityDeps = Pick<Deps, 'table' | 'clock' | 'identityProvider' | 'keyUses'> &
  Partial<Pick<Deps, 'auditLog'>>;

/** Who asks, with the tenant that the request picks; undefined: good for several, and it picks none. */
export type Identity = Omit<Caller, 'tenantId'> & {
  tenantId: string | undefined;
  expiresAt?: string | undefined;
  isSession: boolean;
  /** The token of CI that the key was exchanged for. */
  exchange?: ApiKeyItem['exchange'];
  /** Good for every tenant of the organization. */
  ofOrganization: boolean;
};

/**
 * Who asks, by their key or, without one, by their bearer token. Throws `unauthenticated` without saying
 * whether the credential is missing, malformed, unknown, revoked or expired; `tenant_required`,
 * `tenant_forbidden`, `membership_missing` and `membership_none` when it is good but the tenant is not
 * theirs. A good key is noted in `uses`. An error about a known credential keeps whose it is, for the audit
 * (`whoWasRefused`).
 */
export async function authenticateCaller(
  deps: IdentityDeps,
  credentials: Credentials,
  uses?: KeyUses,
): Promise<Caller> {
  const {
    expiresAt: _,
    isSession: __,
    ofOrganization: ___,
    exchange: ____,
    tenantId,
    ...who
  } = await identify(deps, credentials, uses);
  if (tenantId === undefined) throw refusedAs(refuse('tenant_required', {}), who);
  return { ...who, tenantId };
}

/** Who asks, where the request need not pick a tenant; a bearer token of several has to. */
export async function identify(
  deps: IdentityDeps,
  { apiKey, authorization, tenantId }: Credentials,
  uses?: KeyUses,
): Promise<Identity> {
  if (apiKey === undefined && authorization !== undefined)
    return {
      ...(await bearerCaller(deps, authorization, tenantId)),
      isSession: false,
      ofOrganization: false,
    };
  const { key, hash, opener } = await validKey(deps, apiKey);
  const identity = {
    tenantId: await tenantOf(deps, key, tenantId),
    organizationId: key.organization_id,
    userId: key.user_id,
    keyId: key.id,
    role: key.role,
    listenerId: key.listener_id,
    maker: makerOf(key, opener),
    actor: actorOf(key, opener),
    expiresAt: key.expires_at,
    isSession: isOfSession(key),
    ...(key.exchange !== undefined && { exchange: key.exchange }),
    ofOrganization: key.tenant_id === undefined,
  };
  uses?.note(hash, deps.clock.now());
  return identity;
}

/** `opener`: the key that a session of the console or a login was opened with, and ends with. */
type ValidKey = { key: ApiKeyItem; hash: string; opener: ApiKeyItem | undefined };

async function validKey(deps: IdentityDeps, given: string | undefined): Promise<ValidKey> {
  if (given === undefined || !isWellFormed(given)) throw refuse('unauthenticated', {});
  const hash = hashOf(given);
  const key = await findApiKey(deps.table, hash);
  if (key === undefined) throw refuse('unauthenticated', {});
  const opener = await openerOf(deps, key);
  if (!(await isGood(deps, key, opener))) throw refusedAs(refuse('unauthenticated', {}), knownBy(key));
  return { key, hash, opener };
}

const openerOf = async (
  { table }: IdentityDeps,
  { made_with }: ApiKeyItem,
): Promise<ApiKeyItem | undefined> => (made_with === undefined ? undefined : findApiKey(table, made_with));

/**
 * Whether a key may be used now, and all may that it ends with: the key that it was opened with, its person's
 * role, or the rule by which a token was exchanged for it. A session may be opened with the key of a login;
 * neither opens a login.
 */
async function isGood(deps: IdentityDeps, key: ApiKeyItem, opener: ApiKeyItem | undefined): Promise<boolean> {
  if (!isUsable(key, deps.clock.now())) return false;
  if (key.made_with !== undefined)
    return opener !== undefined && (await isGood(deps, opener, await openerOf(deps, opener)));
  if (!(await hasItsRule(deps, key))) return false;
  return key.kind !== 'login' || (await memberWith(deps, key)) !== undefined;
}

/** A key that a rule has given ends with the rule. */
export const hasItsRule = async (
  { table }: Pick<Deps, 'table'>,
  { exchange, tenant_id: tenantId }: ApiKeyItem,
): Promise<boolean> =>
  exchange === undefined ||
  (tenantId !== undefined && (await isTokenRule(table, tenantId, exchange.rule_id)));

/** Whether a key may be used at this time, in epoch milliseconds. */
export const isUsable = ({ revoked_at, expires_at }: ApiKeyItem, now: number): boolean =>
  revoked_at === undefined && (expires_at === undefined || Date.parse(expires_at) > now);

/** Keys that a session makes live as long as those of the key that it was opened with, not as it does. */
function makerOf(key: ApiKeyItem, opener: ApiKeyItem | undefined): KeyMaker {
  const { expires_at: end } = isOfSession(key) ? (opener ?? key) : key;
  return {
    kind: isOfSession(key) ? 'session' : 'key',
    ...(end !== undefined && { endsAt: Date.parse(end) }),
  };
}

/** What a session or a login does is done by who opened it. */
function actorOf(key: ApiKeyItem, opener: ApiKeyItem | undefined): Actor {
  if (opener !== undefined) return actorOf(opener, undefined);
  if (key.kind === 'login') return { kind: 'person', name: key.user_id };
  if (key.exchange !== undefined) return { kind: 'service', name: key.exchange.repository ?? key.name };
  return { kind: key.listener_id === undefined ? 'key' : 'service', name: key.name };
}

/**
 * A key of one tenant may name it, and only it; a key of the organization names one of the organization's.
 */
async function tenantOf(
  deps: IdentityDeps,
  key: ApiKeyItem,
  asked: string | undefined,
): Promise<string | undefined> {
  if (key.tenant_id !== undefined) {
    if (asked !== undefined && asked.toLowerCase() !== key.tenant_id) {
      throw refusedAs(refuse('tenant_forbidden', { tenant: asked }), knownBy(key));
    }
    return key.tenant_id;
  }
  if (asked === undefined) return undefined;
  const id = tenantIdIn(asked);
  const found = id === undefined ? undefined : await findTenant(deps.table, id);
  if (found?.organization_id !== key.organization_id)
    throw refusedAs(refuse('tenant_forbidden', { tenant: asked }), knownBy(key));
  return found.tenant_id;
}

const knownBy = (key: ApiKeyItem): Known => ({
  userId: key.user_id,
  keyId: key.id,
  tenantId: key.tenant_id,
  organizationId: key.organization_id,
});
