import type { Me } from '../../lib/client/endpoints.ts';

export type Role = NonNullable<Me['role']>;

/** How roles are called. */
export const roleWords: Record<Role, string> = {
  viewer: 'Viewer',
  developer: 'Developer',
  admin: 'Administrator',
  organization_admin: 'Administrator of the organization',
  listener: 'Listener',
};

/** Each includes those before it. */
const people = ['viewer', 'developer', 'admin', 'organization_admin'] as const satisfies Role[];

/** The roles that who has the role `own` can give to a member; nobody gives more than they have. */
export const memberRolesFor = (own: Role | null) =>
  people.slice(0, people.findIndex((each) => each === own) + 1).toReversed();

/** The roles that a key can have which they make. */
export const keyRolesFor = (own: Role | null): Role[] => [
  ...memberRolesFor(own),
  ...(own === 'admin' || own === 'organization_admin' ? (['listener'] as const) : []),
];
