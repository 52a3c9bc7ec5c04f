import type { Permission } from '../../lib/client/endpoints.ts';
import { useMe } from './queries.ts';

/**
 * Whether who is signed in may do this: what a role may not do is not shown. Undefined while that is not
 * known yet.
 */
export const useCan = (permission: Permission): boolean | undefined =>
  useMe().data?.permissions.includes(permission);
