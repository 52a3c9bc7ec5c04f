import fc from 'fast-check';
import { expect, it } from 'vitest';
import { roles } from '../../../lib/contract/roles.ts';
import { type KeyMaker } from '../../../lib/core/caller.ts';
import { latestEnd } from '../../../lib/features/api-keys/expiry.ts';

const DAY = 86_400_000;
const now = Date.parse('2026-01-01T00:00:00Z');
const within = { now, keyDays: 90 };

it('is the end of the key that it is made with', () => {
  expect(latestEnd({ kind: 'key' }, 'admin', within)).toBeUndefined();
  const endsAt = now + 400 * DAY;
  expect(latestEnd({ kind: 'key', endsAt }, 'admin', within)).toEqual({ at: endsAt, of: 'key' });
  expect(latestEnd({ kind: 'key', endsAt }, 'listener', within)).toEqual({ at: endsAt, of: 'key' });
});

it('is some days from now in a session and with a bearer token, unless their key ends before', () => {
  const ofDays = { at: now + 90 * DAY, of: 'days' };
  const later = now + 400 * DAY;
  const makers: KeyMaker[] = [{ kind: 'session' }, { kind: 'bearer' }, { kind: 'session', endsAt: later }];
  for (const maker of makers) expect(latestEnd(maker, 'viewer', within)).toEqual(ofDays);
  const soon = { kind: 'session', endsAt: now + DAY } as const;
  expect(latestEnd(soon, 'viewer', within)).toEqual({ at: now + DAY, of: 'opener' });
});

it('of a listener’s key is that of its maker alone', () => {
  expect(latestEnd({ kind: 'session' }, 'listener', within)).toBeUndefined();
  expect(latestEnd({ kind: 'bearer' }, 'listener', within)).toBeUndefined();
  const endsAt = now + 400 * DAY;
  expect(latestEnd({ kind: 'session', endsAt }, 'listener', within)).toEqual({ at: endsAt, of: 'opener' });
});

it('is never later than that of any key before it', () => {
  const kind = fc.constantFrom('key', 'session', 'bearer');
  const maker: fc.Arbitrary<KeyMaker> = fc.record(
    { kind, endsAt: fc.integer({ min: now + 1, max: now + 1000 * DAY }) },
    { requiredKeys: ['kind'] },
  );
  const made = fc.record({ isSession: fc.boolean(), role: fc.constantFrom(...roles), laterBy: fc.nat(DAY) });
  fc.assert(
    fc.property(
      maker,
      fc.array(made, { maxLength: 6 }),
      fc.integer({ min: 1, max: 365 }),
      (first, chain, keyDays) => {
        let [by, at] = [first, now];
        for (const { isSession, role, laterBy } of chain) {
          at += laterBy;
          const end = latestEnd(by, role, { now: at, keyDays })?.at;
          if (by.endsAt !== undefined) expect(end).toBeLessThanOrEqual(by.endsAt);
          if (by.kind !== 'key' && role !== 'listener') expect(end).toBeLessThanOrEqual(at + keyDays * DAY);
          by = { kind: isSession ? 'session' : 'key', ...(end !== undefined && { endsAt: end }) };
        }
      },
    ),
  );
});
