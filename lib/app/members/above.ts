import { type ApiError, refuse } from '../../contract/errors.ts';
import { lackedToGive, roles } from '../../contract/roles.ts';
import type { Item } from '../../store/dynamodb/transact.ts';
import type { Caller } from '../caller.ts';

/**
 * The refusal because of the role that was found, which is above the caller's: what people cannot give, they
 * cannot take from others either. Undefined when that was not why.
 */
export function refusalOfRole(
  { role: own }: Pick<Caller, 'role'>,
  found: Item | undefined,
): ApiError | undefined {
  const role = roles.find((each) => each === found?.role);
  const permission = role && lackedToGive(own, role);
  return permission && refuse('permission_missing', { permission });
}
