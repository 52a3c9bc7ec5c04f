import type { Caller } from '../../../lib/core/caller.ts';

/** A developer of one tenant, changed where the test cares. */
export const aCaller = (changes: Partial<Caller> = {}): Caller => ({
  tenantId: '0190a000-0000-7000-8000-000000000001',
  organizationId: '0190a000-0000-7000-8000-000000000002',
  userId: '0190a000-0000-7000-8000-000000000003',
  keyId: '0190a000-0000-7000-8000-000000000004',
  role: 'developer',
  listenerId: undefined,
  maker: { kind: 'key' },
  ...changes,
});
