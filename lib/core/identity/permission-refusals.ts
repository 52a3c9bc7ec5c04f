import { type ApiError, refuse } from '../../contract/errors.ts';
import { lackedToGive, type Permission, type Role, roles } from '../../contract/roles.ts';
import type { Item } from '../../store/dynamodb/transact.ts';
import type { Caller } from '../caller.ts';

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

/**
 * The refusal because of the role that was found, which is above the caller's: what people cannot give, they
 * cannot take from others either. Undefined when that was not why.
 */
export function refusalOfRole(
  caller: Pick<Caller, 'role' | 'maker'>,
  found: Item | undefined,
): ApiError | undefined {
  const role = roles.find((each) => each === found?.role);
  const permission = role && lackedToGive(caller.role, role);
  return permission && lacksPermission(caller, permission, role);
}
