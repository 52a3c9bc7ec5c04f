import { describe, expect, it } from 'vitest';
import type { RefusalNote } from '../../../lib/contract/note-lines.ts';
import { type Refusal } from '../../../lib/core/audit.ts';
import { networkOf } from '../../../lib/core/identity/network.ts';
import {
  CALLERS_MAX,
  CLAIMS_MAX,
  countedRefusals,
  VARIOUS,
} from '../../../lib/features/audit/count-refusals.ts';

const HOUR = 3_600_000;
const known = { userId: 'user', keyId: 'key', tenantId: 'tenant', organizationId: 'organization' };

const aRefusal = (changes: Partial<Refusal> = {}): Refusal => ({
  at: 10 * HOUR + 1,
  id: '0190a000-0000-7000-8000-00000000000a',
  requestId: 'request',
  status: 401,
  reason: 'unauthenticated',
  operation: 'getDeployment',
  sourceAddress: '192.0.2.1',
  credential: 'none',
  known: undefined,
  claimedTenantId: undefined,
  ...changes,
});

/** What a process notes of these refusals. */
function notesOf(refusals: Refusal[]): RefusalNote[] {
  const notes: RefusalNote[] = [];
  const refused = countedRefusals((note) => notes.push(note));
  for (const each of refusals) refused(each);
  return notes;
}
const times = (count: number, changes?: Partial<Refusal>) =>
  Array.from({ length: count }, () => aRefusal(changes));
const callersOf = (notes: RefusalNote[]) => [...new Set(notes.map(({ caller }) => caller))];
const total = (notes: RefusalNote[]) => notes.reduce((sum, { count }) => sum + count, 0);

describe('the refusals of one caller', () => {
  it('are noted each at first, then each time that their number has doubled', () => {
    expect(notesOf(times(10)).map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 1));
    expect(notesOf(times(100)).slice(10)).toMatchObject([{ count: 6 }, { count: 16 }, { count: 32 }]);
    expect(notesOf(times(100_000)).length).toBeLessThan(30);
  });

  it('begin anew with each hour', () => {
    const notes = notesOf([...times(3), ...times(2, { at: 11 * HOUR })]);
    expect(notes.map(({ hour }) => hour / HOUR)).toEqual([10, 10, 10, 11, 11]);
    expect(total(notes)).toBe(5);
  });

  it('are those of one key, wherever they come from, and of one status', () => {
    const moving = ['192.0.2.1', '192.0.2.2'].map((sourceAddress) => aRefusal({ sourceAddress, known }));
    expect(callersOf(notesOf(moving))).toHaveLength(1);
    expect(callersOf(notesOf([...moving, aRefusal({ known, status: 403 })]))).toHaveLength(2);
    const other = { ...known, keyId: 'other' };
    expect(callersOf(notesOf([...moving, aRefusal({ known: other })]))).toHaveLength(2);
  });

  it('are those of one network, whatever credential is made up there, where nobody is known', () => {
    const madeUp = ['slp_aaaa…1111', 'slp_bbbb…2222', 'bearer'].map((credential) => aRefusal({ credential }));
    expect(callersOf(notesOf(madeUp))).toHaveLength(1);
    const addresses = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2'];
    const near = addresses.map((sourceAddress) => aRefusal({ sourceAddress }));
    expect(callersOf(notesOf(near))).toHaveLength(1);
    expect(callersOf(notesOf([aRefusal({ sourceAddress: '192.0.2.9' }), ...near]))).toHaveLength(2);
  });
});

describe('a process', () => {
  const crowd = (size: number) =>
    Array.from({ length: size }, (_, n) => aRefusal({ sourceAddress: `10.0.${n >> 8}.${n & 255}` }));

  it('tells so many unknown callers apart, and counts the others together without what is theirs', () => {
    const notes = notesOf(crowd(5_000));
    expect(callersOf(notes)).toHaveLength(CALLERS_MAX + 1);
    const others = notes.filter(({ caller }) => caller === VARIOUS);
    expect(others.length).toBeLessThan(30);
    for (const { details } of others)
      expect(details).toEqual({
        status: 401,
        reason: 'unauthenticated',
        operation: 'getDeployment',
        credential: VARIOUS,
      });
  });

  it('is not made to forget who is known by a crowd that is not', () => {
    const notes = notesOf([...crowd(5_000), aRefusal({ known })]);
    expect(notes.at(-1)).toMatchObject({ user_id: 'user', key_id: 'key', tenant_id: 'tenant' });
  });

  it('still sees whom others ask for, whatever tenants one address makes up', () => {
    const madeUp = Array.from({ length: 5_000 }, (_, n) => aRefusal({ claimedTenantId: `tenant ${n}` }));
    const other = { sourceAddress: '192.0.2.2', claimedTenantId: 'real' };
    const [seen] = notesOf([...madeUp, aRefusal(other)]).slice(-1);
    expect(seen).toMatchObject({ claimed_tenant_id: 'real', details: { source_address: '192.0.2.2' } });
  });

  it('tells few tenants of one address apart, and keeps the address of the others', () => {
    const claims = Array.from({ length: 5_000 }, (_, n) => aRefusal({ claimedTenantId: `tenant ${n}` }));
    const notes = notesOf(claims);
    expect(new Set(notes.map((note) => note.claimed_tenant_id)).size).toBe(CLAIMS_MAX + 1);
    expect(callersOf(notes)).toHaveLength(1);
    expect(callersOf(notes)).not.toContain(VARIOUS);
    for (const { details } of notes) expect(details).toMatchObject({ source_address: '192.0.2.1' });
  });

  it('remembers no more for tenants that are made up', () => {
    const claims = Array.from({ length: 5_000 }, (_, n) => aRefusal({ claimedTenantId: `tenant ${n}` }));
    expect(notesOf(claims).length).toBeLessThan(CLAIMS_MAX + 30);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
