import type { ApiError } from '../../contract/errors.ts';
import { lackedToGive, roles } from '../../contract/roles.ts';
import type { Caller } from '../../core/caller.ts';
import type { Item } from '../../store/dynamodb/transact.ts';
import { lacksPermission } from '../identity/lacks.ts';

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
