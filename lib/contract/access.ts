import type { VariableName } from '../settings/variable.ts';

/**
 * What a function may do outside itself, one word an action. The infrastructure makes roles and variables of
 * these words and of nothing else, so a function that reads cannot be given the right to write.
 */
export const readAccess = [
  'table:get',
  'table:get-both',
  'table:query',
  'table:check',
  'due:query',
  'keys:decrypt',
  'uploads:list',
  'pinned:list',
  'uploads:read',
  'pinned:read',
  'artifacts:list',
  'artifacts:read',
  'executions:read',
  'builds:read',
  'images:read',
  'compute:look',
  'compute:measure',
  'networks:look',
  'agent-secrets:read',
] as const;

export const writeAccess = [
  'table:put',
  'table:update',
  'table:delete',
  'keys:generate',
  'uploads:write',
  'uploads:delete',
  'pinned:write',
  'pinned:delete',
  'artifacts:write',
  'artifacts:delete',
  'jobs:write',
  'events:put',
  'deliveries:wake',
  'heads:wake',
  'doorbell:wake',
  'sockets:send',
  'driver:wake',
  'compute:change',
  'executions:start',
  'tasks:answer',
  'builds:start',
  'builds:stop',
  'repositories:create',
  'repositories:push',
  'images:hold',
  'images:delete',
  'registry:pull',
] as const;

export type ReadAccess = (typeof readAccess)[number];
export type Access = ReadAccess | (typeof writeAccess)[number];

/** The part before the colon names what is touched; each needs these variables. */
const variablesOfPart: Record<string, readonly VariableName[]> = {
  table: ['TABLE_NAME'],
  due: ['TABLE_NAME'],
  keys: ['KEY_ID'],
  uploads: ['BUCKET_NAME'],
  pinned: ['BUCKET_NAME'],
  artifacts: ['BUCKET_NAME'],
  jobs: ['JOBS_BUCKET_NAME'],
  events: ['EVENT_BUS_NAME'],
  deliveries: ['DELIVER_FUNCTION_NAME'],
  heads: ['HEADS_FUNCTION_NAME'],
  doorbell: ['RING_FUNCTION_NAME'],
  sockets: ['DOORBELL_URL'],
  driver: ['DRIVE_FUNCTION_NAME'],
  executions: ['STATE_MACHINE_ARN'],
  tasks: ['STATE_MACHINE_ARN'],
  builds: ['BUILD_PROJECT_NAME', 'BUILD_LOG_GROUP_NAME', 'BUCKET_NAME', 'JOBS_BUCKET_NAME'],
  images: ['REGISTRY_HOST'],
  repositories: ['REGISTRY_HOST', 'PUSH_ROLE_ARN'],
  registry: ['REGISTRY_HOST', 'PULL_ROLE_ARN'],
  'agent-secrets': ['AGENT_SECRETS'],
};

/** The variables that a function with this access reads, beside those that it names itself. */
export function variablesFor(access: readonly Access[]): VariableName[] {
  const parts = access.map((word) => word.split(':')[0] ?? '');
  return [...new Set(parts.flatMap((part) => variablesOfPart[part] ?? []))].sort();
}
