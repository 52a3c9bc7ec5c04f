import { refuse } from '../../contract/errors.ts';
import { allows, type Permission } from '../../contract/roles.ts';
import type { KeyOwner } from '../../store/api-keys.ts';
import type { Caller } from '../caller.ts';

/** Whose keys are meant: the tenant's, or the organisation's own, which only its administrators see and make. */
export function ownerInScope(
  caller: Caller,
  scope: 'tenant' | 'organisation' | undefined,
  permission: Permission,
): KeyOwner {
  const { organisationId, tenantId } = caller;
  if (scope !== 'organisation') return { organisationId, tenantId };
  if (!allows(caller.role, permission)) throw refuse('permission_missing', { permission });
  return { organisationId, tenantId: undefined };
}
