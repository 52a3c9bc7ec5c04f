import { lackedToGive, type MemberRole, memberRoles } from '../../contract/roles.ts';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { memberIdOf, memberKey } from '../../core/items/members.ts';
import {
  above,
  absent,
  any,
  atMost,
  check,
  equals,
  oneOf,
  present,
  put,
  putNew,
  remove,
  update,
} from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import { ConditionsFailed, retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type DeviceGrant, type DeviceLogin, deviceCount, deviceLogin, deviceUserCode } from './items.ts';

/** `hash`: of the program's code. */
const loginKey = (hash: string): Key => ({ pk: `DL#${hash}`, sk: 'A' });
/** `hash`: of the code that a person types. */
const userCodeKey = (hash: string): Key => ({ pk: `DU#${hash}`, sk: 'A' });
/** `of`: what is counted, and whose. */
const countKey = (of: string): Key => ({ pk: `DN#${of}`, sk: 'A' });

export const findLogin = (table: Table, hash: string): Promise<DeviceLogin | undefined> =>
  find(table, loginKey(hash), deviceLogin);

/** Where the login lies whose typed code has this hash. */
export const findUserCode = async (table: Table, hash: string): Promise<string | undefined> =>
  (await find(table, userCodeKey(hash), deviceUserCode))?.login_hash;

/** Stores a login under both of its codes. Demands that no other one that is open has the typed one. */
export function putLoginWrites(login: DeviceLogin, hash: string, now: number): Write[] {
  const { user_code_hash, expires_at, ttl } = login;
  const code = { v: 1, entity: 'device_user_code', login_hash: hash, expires_at, ttl };
  return [
    putNew('device_login', { ...loginKey(hash), ...login }),
    put(
      'device_user_code',
      { ...userCodeKey(user_code_hash), ...code },
      any(absent('pk'), atMost('expires_at', now)),
    ),
  ];
}

/** The name of the write that fails when nobody can decide about a login any more. */
const LOGIN = 'device_login';
const isOpen = (now: number) => [equals('state', 'waiting'), above('expires_at', now)];

export const confirmLogin = (hash: string, grant: DeviceGrant, now: number, audit: AuditMark): Write =>
  update(LOGIN, loginKey(hash), { set: { state: 'confirmed', grant, audit } }, ...isOpen(now));

export const denyLogin = (hash: string, now: number, audit: AuditMark): Write =>
  update(LOGIN, loginKey(hash), { set: { state: 'denied', audit } }, ...isOpen(now));

/** Notes that a program has asked, and how long it has to wait from now on. */
export const noteAsked = (hash: string, at: number, intervalSeconds: number): Write =>
  update(
    LOGIN,
    loginKey(hash),
    { set: { asked_at: at, interval_seconds: intervalSeconds } },
    equals('state', 'waiting'),
  );

/** Uses a confirmed login up. Demands that nobody has. */
export const takeLoginWrites = (hash: string, { user_code_hash }: DeviceLogin): Write[] => [
  remove(LOGIN, loginKey(hash), equals('state', 'confirmed')),
  remove('device_user_code', userCodeKey(user_code_hash)),
];

const rolesThatGive = (role: MemberRole): MemberRole[] =>
  memberRoles.filter((own) => lackedToGive(own, role) === undefined);

/** Demands that who confirmed is still a member, whose role is not below the one that they gave. */
export const checkMember = ({ tenant_id, user_id, role }: DeviceGrant): Write =>
  check(
    'maker',
    memberKey(tenant_id, memberIdOf(user_id)),
    present('pk'),
    absent('removed_at'),
    equals('user_id', user_id),
    oneOf('role', rolesThatGive(role)),
  );

const COUNT = 'device_count';
type Counted = { limit: number; now: number; milliseconds: number };

/**
 * Counts once more what may be done so often within a time that begins with the first; false: it was done so
 * often already.
 */
export const countWithin = (
  table: Table,
  of: string,
  { limit, now, milliseconds }: Counted,
): Promise<boolean> =>
  retryRaces(table, async () => {
    const key = countKey(of);
    try {
      await transact(table, [
        update(COUNT, key, { add: { count: 1 } }, above('ends_at', now), atMost('count', limit - 1)),
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      const found = error.failed.get(COUNT);
      const counted = found === undefined ? undefined : deviceCount.parse(found);
      if (counted !== undefined && counted.ends_at > now) return false;
    }
    const endsAt = now + milliseconds;
    const begun = { v: 1, entity: 'device_count', count: 1, ends_at: endsAt, ttl: Math.ceil(endsAt / 1000) };
    await transact(table, [update(COUNT, key, { set: begun }, any(absent('pk'), atMost('ends_at', now)))]);
    return true;
  });

/** Takes one back that was counted. */
export const uncount = (of: string): Write =>
  update(COUNT, countKey(of), { add: { count: -1 } }, above('count', 0));
