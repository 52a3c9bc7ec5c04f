import { refuse } from '../../contract/errors.ts';
import { lackedToGive, type MemberRole, memberRoles } from '../../contract/roles.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { ownKey } from '../../core/identity/own-key.ts';
import { lacksPermission } from '../../core/identity/permission-refusals.ts';
import { findApiKey, isLent } from '../../core/items/api-keys.ts';
import type { DeviceGrant } from './items.ts';

type GrantDeps = Pick<Deps, 'table' | 'clock' | 'settings'>;

const DAY_MILLISECONDS = 86_400_000;
/** However long an installation lets other keys live. */
export const LOGIN_DAYS_MAX = 90;

/** The roles that somebody may give, the least first. */
export const rolesToGive = ({ role }: Pick<Caller, 'role'>): MemberRole[] =>
  memberRoles.filter((given) => lackedToGive(role, given) === undefined);

export const usualRole = (caller: Pick<Caller, 'role'>): MemberRole =>
  rolesToGive(caller).includes('developer') ? 'developer' : 'viewer';

/** When a key ends that somebody lets a program in with, at the latest (ISO 8601). */
export function grantEndOf(
  { clock, settings: { keyDays } }: Pick<Deps, 'clock' | 'settings'>,
  { maker: { endsAt } }: Caller,
): string {
  const ofDays = clock.now() + Math.min(keyDays, LOGIN_DAYS_MAX) * DAY_MILLISECONDS;
  return new Date(endsAt === undefined ? ofDays : Math.min(endsAt, ofDays)).toISOString();
}

/**
 * What the caller gives to a program. Throws `permission_missing` for a role above their own, and
 * `state_forbids` as `keyBehind` does.
 */
export async function grantOf(
  deps: GrantDeps,
  asked: MemberRole | null | undefined,
  caller: Caller,
): Promise<DeviceGrant> {
  const role = asked ?? usualRole(caller);
  const lacking = lackedToGive(caller.role, role);
  if (lacking !== undefined) throw lacksPermission(caller, lacking, role);
  const behind = await keyBehind(deps, caller);
  return {
    organization_id: caller.organizationId,
    tenant_id: caller.tenantId,
    user_id: caller.userId,
    key_id: caller.keyId,
    role,
    key_expires_at: grantEndOf(deps, caller),
    ...(behind !== undefined && { made_with: behind }),
  };
}

/**
 * The hash of the key behind a credential: its own, or the one that a session was opened with; undefined: a
 * person with a bearer token. Throws `state_forbids` for a login's own key and sessions opened with it: who
 * has got hold of one makes no other that would outlive it.
 */
export async function keyBehind(deps: Pick<Deps, 'table'>, caller: Caller): Promise<string | undefined> {
  if (caller.maker.kind === 'bearer') return undefined;
  const own = await ownKey(deps, caller);
  if (own === undefined)
    throw refuse('state_forbids', { reason: 'This key is not listed yet: use it once more in a minute.' });
  const { key, row } = own;
  const opener = key.kind === undefined && key.made_with !== undefined ? key.made_with : row.hash;
  const behind = opener === row.hash ? key : await findApiKey(deps.table, opener);
  if (behind === undefined || isLent(behind))
    throw refuse('state_forbids', {
      reason:
        'A key of a login lets no other program in, nor does a session opened with it: sign in with an API key or as a member.',
    });
  return opener;
}
