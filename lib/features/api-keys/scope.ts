import { allows, type Permission } from '../../contract/roles.ts';
import type { Caller } from '../../core/caller.ts';
import { lacksPermission } from '../../core/identity/permission-refusals.ts';
import type { KeyOwner } from '../../core/items/api-keys.ts';

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
