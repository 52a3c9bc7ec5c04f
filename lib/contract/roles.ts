/** What a caller may do, one word per kind of thing and verb. Each route names exactly one. */
export const permissions = [
  'self:read',
  'deployments:read',
  'deployments:write',
  'logs:read',
  'events:read',
  'listeners:read',
  'listeners:write',
  'listener:work',
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'integrations:read',
  'integrations:write',
  'webhooks:read',
  'webhooks:write',
  'audit:read',
  'tenants:read',
  'tenants:write',
  'organization_keys:read',
  'organization_keys:write',
  'organization_audit:read',
  'providers:read',
  'providers:write',
  'tokens:read',
  'tokens:write',
] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['viewer', 'developer', 'admin', 'organization_admin', 'listener'] as const;
export type Role = (typeof roles)[number];

/** What people can be; a listener is none. */
export const memberRoles = ['viewer', 'developer', 'admin', 'organization_admin'] as const;
export type MemberRole = (typeof memberRoles)[number];

const viewer = [
  'self:read',
  'deployments:read',
  'logs:read',
  'events:read',
  'listeners:read',
  'providers:read',
] as const satisfies Permission[];
const developer = [
  ...viewer,
  'deployments:write',
  'tokens:read',
  'tokens:write',
] as const satisfies Permission[];
const admin = [
  ...developer,
  'listeners:write',
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'integrations:read',
  'integrations:write',
  'webhooks:read',
  'webhooks:write',
  'audit:read',
] as const satisfies Permission[];
const organizationAdmin = [
  ...admin,
  'tenants:read',
  'tenants:write',
  'organization_keys:read',
  'organization_keys:write',
  'organization_audit:read',
  'providers:write',
] as const satisfies Permission[];

/**
 * The role matrix. A listener's key opens the listener protocol and nothing else; no other role opens that.
 */
export const roleMatrix: Record<Role, readonly Permission[]> = {
  viewer,
  developer,
  admin,
  organization_admin: organizationAdmin,
  listener: ['listener:work'],
};

export const allows = (role: Role, permission: Permission): boolean => roleMatrix[role].includes(permission);

/**
 * Nobody gives what they have not: what who has the role `own` lacks to make a key or a member with the role
 * `given`, if anything.
 */
export function lackedToGive(own: Role, given: Role): Permission | undefined {
  const needed = given === 'listener' ? (['listeners:write'] as const) : roleMatrix[given];
  return needed.find((permission) => !allows(own, permission));
}

/** The role itself, and those that who has it gives to others. */
export const rolesNotAbove = (own: Role): Role[] =>
  roles.filter((role) => role === own || lackedToGive(own, role) === undefined);
