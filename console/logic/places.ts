import type { Permission } from '../../lib/client/endpoints.ts';

/** A page of the navigation; who has one of the permissions sees something on it. */
export type Place = {
  path: string;
  title: string;
  icon:
    | 'overview'
    | 'deployments'
    | 'activity'
    | 'topology'
    | 'listeners'
    | 'integrations'
    | 'webhooks'
    | 'access'
    | 'audit';
  group: 'main' | 'Runs on' | 'Team';
  permissions: readonly Permission[];
};

export const places: readonly Place[] = [
  { path: '/', title: 'Overview', icon: 'overview', group: 'main', permissions: ['deployments:read'] },
  {
    path: '/deployments',
    title: 'Deployments',
    icon: 'deployments',
    group: 'main',
    permissions: ['deployments:read'],
  },
  {
    path: '/activity',
    title: 'Activity',
    icon: 'activity',
    group: 'main',
    permissions: ['events:read'],
  },
  {
    path: '/topology',
    title: 'Topology',
    icon: 'topology',
    group: 'Runs on',
    permissions: ['listeners:read'],
  },
  {
    path: '/listeners',
    title: 'Listeners',
    icon: 'listeners',
    group: 'Runs on',
    permissions: ['listeners:read'],
  },
  {
    path: '/connections',
    title: 'Integrations',
    icon: 'integrations',
    group: 'Runs on',
    permissions: ['integrations:read', 'providers:read', 'tokens:read'],
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    group: 'Runs on',
    permissions: ['webhooks:read'],
  },
  {
    path: '/access',
    title: 'Access',
    icon: 'access',
    group: 'Team',
    permissions: ['keys:read', 'members:read', 'tenants:read'],
  },
  { path: '/audit', title: 'Audit log', icon: 'audit', group: 'Team', permissions: ['audit:read'] },
];

/** What is offered to who has these permissions. */
export const placesFor = (permissions: readonly Permission[]): Place[] =>
  places.filter((place) => place.permissions.some((each) => permissions.includes(each)));

export const isWithin = (place: string, path: string): boolean =>
  place === path || place.startsWith(`${path}/`);
