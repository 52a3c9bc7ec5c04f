import { allows, type Permission } from '../../contract/roles.ts';
import type { Caller } from '../../core/caller.ts';
import type { KeyOwner } from '../../store/identity/api-keys.ts';
import { lacksPermission } from '../identity/lacks.ts';

/**
 * Whose keys are meant: the tenant's, or the organization's own, which only its administrators see and make.
 */
export function ownerInScope(
  caller: Caller,
  scope: 'tenant' | 'organization' | undefined,
  permission: Permission,
): KeyOwner {
  const { organizationId, tenantId } = caller;
  if (scope !== 'organization') return { organizationId, tenantId };
  if (!allows(caller.role, permission)) throw lacksPermission(caller, permission);
  return { organizationId, tenantId: undefined };
}
