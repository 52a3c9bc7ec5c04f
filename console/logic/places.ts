import type { Permission } from '../../lib/client/endpoints.ts';

/** A page of the navigation; who has one of the permissions sees something on it. */
export type Place = { path: string; title: string; permissions: readonly Permission[] };

export const places: readonly Place[] = [
  { path: '/deployments', title: 'Deployments', permissions: ['deployments:read'] },
  { path: '/listeners', title: 'Listeners', permissions: ['listeners:read'] },
  {
    path: '/connections',
    title: 'Connections',
    permissions: ['integrations:read', 'providers:read', 'tokens:read'],
  },
  { path: '/webhooks', title: 'Webhooks', permissions: ['webhooks:read'] },
  { path: '/access', title: 'Access', permissions: ['keys:read', 'members:read', 'tenants:read'] },
  { path: '/audit', title: 'Audit', permissions: ['audit:read'] },
];

/** What is offered to who has these permissions. */
export const placesFor = (permissions: readonly Permission[]): Place[] =>
  places.filter((place) => place.permissions.some((each) => permissions.includes(each)));
