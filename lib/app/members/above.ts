import { type ApiError, refuse } from '../../contract/errors.ts';
import { lackedToGive, roles, rolesNotAbove } from '../../contract/roles.ts';
import { oneOf } from '../../store/expressions.ts';
import type { Item } from '../../store/operations.ts';
import type { Caller } from '../caller.ts';

/** The condition that an item's role is not above the caller's: what people cannot give, they cannot take from others either. */
export const isNotAbove = ({ role }: Pick<Caller, 'role'>) => oneOf('role', rolesNotAbove(role));

/** The refusal because of the role that was found instead; undefined when that was not why. */
export function refusalOfRole(
  { role: own }: Pick<Caller, 'role'>,
  found: Item | undefined,
): ApiError | undefined {
  const role = roles.find((each) => each === found?.role);
  const permission = role && lackedToGive(own, role);
  return permission && refuse('permission_missing', { permission });
}
