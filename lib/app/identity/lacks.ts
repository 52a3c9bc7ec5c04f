import { type ApiError, refuse } from '../../contract/errors.ts';
import type { Permission, Role } from '../../contract/roles.ts';
import type { Caller } from '../../core/caller.ts';

/**
 * That the caller lacks a permission, in words for a key or for a person without one; `given`: the role that
 * they would need it to give or take.
 */
export const lacksPermission = (
  { role, maker }: Pick<Caller, 'role' | 'maker'>,
  permission: Permission,
  given?: Role,
): ApiError =>
  refuse('permission_missing', {
    permission,
    given,
    member: maker.kind === 'bearer' ? role : undefined,
  });
