import type { VariableName } from '../../settings/variable.ts';
import type { Access } from '../access.ts';
import type { ErrorCode } from '../errors.ts';

/** What changing a deployment does and may be answered, by whichever of its two routes. */
export const changeAccess = [
  'table:get',
  'table:query',
  'table:put',
  'table:update',
  'table:delete',
  'table:check',
  'keys:generate',
  'keys:decrypt',
  'uploads:list',
  'uploads:read',
  'pinned:write',
] as const satisfies Access[];

export const changeErrors = [
  'deployment_not_found',
  'host_taken',
  'immutable_field',
  'integration_not_found',
  'listener_not_found',
  'queue_full',
  'source_configuration',
  'state_forbids',
  'version_mismatch',
  'waiting_full',
] as const satisfies ErrorCode[];

export const changeVariables = [
  'ALLOWED_HOSTS',
  'REGISTRY_HOST',
  'WAITING_REVISIONS_MAX',
] as const satisfies VariableName[];

/**
 * The tag of a deployment: the counter of its configuration changes. The use case gives it beside what is
 * shown.
 */
export const configurationEtag = (output: { config_version: number }) => ({
  ETag: `"${output.config_version}"`,
});
