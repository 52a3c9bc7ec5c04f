import type { Permission } from './contract.ts';
import { useMe } from './queries.ts';

/** Whether who is signed in may do this: what a role may not do is not shown. */
export const useCan = (permission: Permission): boolean =>
  useMe().data?.permissions.includes(permission) ?? false;
