import { describe, expect, it } from 'vitest';
import {
  allows,
  lackedToGive,
  memberRoles,
  type Permission,
  permissions,
  roleMatrix,
  roles,
} from '../../../lib/contract/roles.ts';
import { memberIdOf } from '../../../lib/core/items/members.ts';
import { tenantIdIn } from '../../../lib/core/items/tenants.ts';

/** The roles of docs/identity.md: what each may do beyond the one before it. */
const beyond: Record<string, Permission[]> = {
  viewer: ['self:read', 'deployments:read', 'logs:read', 'events:read', 'listeners:read', 'providers:read'],
  developer: ['deployments:write', 'tokens:read', 'tokens:write'],
  admin: [
    ...(['listeners:write', 'keys:read', 'keys:write', 'members:read', 'members:write'] as const),
    ...([
      'integrations:read',
      'integrations:write',
      'webhooks:read',
      'webhooks:write',
      'audit:read',
    ] as const),
  ],
  organization_admin: [
    ...(['tenants:read', 'tenants:write', 'organization_keys:read', 'organization_audit:read'] as const),
    ...(['organization_keys:write', 'providers:write'] as const),
  ],
};

describe('the role matrix', () => {
  it('gives each role what the one before it has, and more', () => {
    let had: Permission[] = [];
    for (const role of memberRoles) {
      const has = new Set(roleMatrix[role]);
      expect([role, [...has].toSorted()]).toEqual([role, [...had, ...(beyond[role] ?? [])].toSorted()]);
      had = [...has];
    }
  });

  it('gives a listener its own routes and nothing else, and those to nobody else', () => {
    expect(roleMatrix.listener).toEqual(['listener:work']);
    expect(roles.filter((role) => allows(role, 'listener:work'))).toEqual(['listener']);
  });

  it('has every permission in some role', () => {
    const given = new Set(roles.flatMap((role) => roleMatrix[role]));
    expect(permissions.filter((permission) => !given.has(permission))).toEqual([]);
  });

  it('lets nobody give what they have not', () => {
    for (const own of roles) {
      for (const given of memberRoles) {
        const lacked = lackedToGive(own, given);
        const has = roleMatrix[given].every((permission) => allows(own, permission));
        expect([own, given, lacked === undefined]).toEqual([own, given, has]);
        if (lacked !== undefined) expect(allows(own, lacked)).toBe(false);
      }
    }
    const givers = roles.filter((role) => lackedToGive(role, 'listener') === undefined);
    expect(givers).toEqual(['admin', 'organization_admin']);
  });
});

it('a member’s id is a UUID that is the same for the same user only', () => {
  const ids = ['alice', 'Alice', 'alice ', 'auth0|alice', '#', 'x'.repeat(255)].map(memberIdOf);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(memberIdOf('alice')).toBe(ids[0]);
});

it('a tenant is named by an id and by nothing else', () => {
  const id = '0190A000-0000-7000-8000-00000000000a';
  expect(tenantIdIn(id)).toBe(id.toLowerCase());
  for (const other of ['', 'x', `${id}#D#1`, ` ${id}`, `${id}\n`, id.slice(1)]) {
    expect([other, tenantIdIn(other)]).toEqual([other, undefined]);
  }
});
