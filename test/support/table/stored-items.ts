import type { Role } from '../../../lib/contract/roles.ts';
import { hashOf, newApiKey } from '../../../lib/core/identity/api-key.ts';
import type { ApiKeyItem } from '../../../lib/core/items/api-keys.ts';
import { apiKeyKey } from '../../../lib/core/items/api-keys.ts';
import { packedId } from '../../../lib/core/items/deployment-rows.ts';
import {
  CONFIGURATION_VERSION,
  type Configuration,
  DEPLOYMENT_VERSION,
  type Deployment,
  type DeploymentRow,
  type Listener,
  type OpenDeployTask,
  type OpenTask,
  openTask,
  REVISION_VERSION,
  type Revision,
} from '../../../lib/core/items/items.ts';
import type { Placement } from '../../../lib/core/items/placements.ts';
import {
  configurationKey,
  deploymentKey,
  deploymentRowKey,
  type Key,
  listenerKey,
  listenerRowKey,
  revisionKey,
} from '../../../lib/store/keys/index.ts';
import { placementKey } from '../../../lib/store/keys/placements.ts';

/** Takes items as they are stored. */
type Seeded = { seed(key: Key, item: object): void };

const AT = '2026-01-01T00:00:00.000Z';

/** One of each, all of one tenant and belonging together. */
export const ids = {
  tenant: '0190a000-0000-7000-8000-000000000001',
  organization: '0190a000-0000-7000-8000-000000000002',
  user: '0190a000-0000-7000-8000-000000000003',
  deployment: '0190a000-0000-7000-8000-0000000000d1',
  revision: '0190a000-0000-7000-8000-000000000001',
  listener: '0190a000-0000-7000-8000-0000000000e1',
  task: '0190a000-0000-7000-8000-0000000000f1',
  lease: '0190a000-0000-4000-8000-0000000000f2',
} as const;

const base = { v: 1, tenant_id: ids.tenant } as const;

export const aDeployment = (changes: Partial<Deployment> = {}): Deployment => ({
  ...base,
  v: DEPLOYMENT_VERSION,
  entity: 'deployment',
  id: ids.deployment,
  name: 'demo',
  source: 'github',
  created_at: AT,
  updated_at: AT,
  created_by: ids.user,
  status: 'UNUSED',
  config: { repo_url: 'https://git.example/team/app.git' },
  revision_source: 'github',
  revision_config: { repo_ref: 'main' },
  listener_id: ids.listener,
  secret_names: [],
  secret_references: [],
  config_version: 1,
  configuration: 1,
  latest_number: 1,
  latest_revision_id: ids.revision,
  queued: [],
  epoch: 1,
  ...changes,
});

export const aRevision = (changes: Partial<Revision> = {}): Revision => ({
  ...base,
  v: REVISION_VERSION,
  entity: 'revision',
  deployment_id: ids.deployment,
  id: ids.revision,
  number: 1,
  source: 'github',
  status: 'QUEUED',
  history: [{ status: 'CREATING', at: AT }],
  created_at: AT,
  updated_at: AT,
  created_by: ids.user,
  revision_config: { repo_ref: 'main', repo_commit_sha: 'c'.repeat(40) },
  configuration: 1,
  inherits: false,
  ...changes,
});

export const aListener = (changes: Partial<Listener> = {}): Listener => ({
  ...base,
  v: 2,
  entity: 'listener',
  id: ids.listener,
  compute_type: 'process',
  compute_id: 'machine',
  k8s_namespaces: [],
  compute_config: { k8s_namespaces: [] },
  is_default: false,
  created_at: AT,
  updated_at: AT,
  ...changes,
});

const aConfiguration: Configuration = {
  ...base,
  v: CONFIGURATION_VERSION,
  entity: 'configuration',
  version: 1,
  repo_url: 'https://git.example/team/app.git',
  secret_references: [],
  secret_names: [],
};

export const aTask = (changes: Partial<OpenDeployTask> = {}): OpenTask =>
  openTask.parse({
    ...base,
    entity: 'task',
    id: ids.task,
    kind: 'DEPLOY',
    listener_id: ids.listener,
    deployment_id: ids.deployment,
    revision_id: ids.revision,
    epoch: 1,
    state: 'claimed',
    offered_at: Date.now(),
    lease_id: ids.lease,
    lease_until: Date.now() + 60_000,
    last_heartbeat_at: Date.now(),
    instance_id: 'instance',
    ...changes,
  });

export const seedDeployment = (table: Seeded, changes: Partial<Deployment> = {}): void =>
  table.seed(deploymentKey(ids.tenant, ids.deployment), aDeployment(changes));

export const seedDeploymentRow = (table: Seeded): void =>
  table.seed(deploymentRowKey(ids.tenant, ids.deployment), {
    v: 3,
    entity: 'deployment_row',
    sk: ids.deployment,
    name: 'demo',
    status: 'UNUSED',
    listener: packedId(ids.listener),
  } satisfies DeploymentRow);

export const seedRevision = (table: Seeded, changes: Partial<Revision> = {}): void =>
  table.seed(revisionKey(ids.tenant, ids.deployment, 1), aRevision(changes));

/** A deployment with one revision, its configuration, list row and placement, and the listener it is on. */
export function seedAll(table: Seeded): void {
  seedDeployment(table);
  seedRevision(table);
  seedDeploymentRow(table);
  const placement: Placement = {
    ...base,
    v: 2,
    entity: 'placement',
    deployment_id: ids.deployment,
    revision_id: ids.revision,
    epoch: 1,
    held: false,
    custom_url: null,
  };
  table.seed(configurationKey(ids.tenant, ids.deployment, 1), aConfiguration);
  table.seed(listenerKey(ids.tenant, ids.listener), aListener());
  table.seed(listenerRowKey(ids.tenant, ids.listener), aListener());
  table.seed(placementKey(ids.tenant, ids.listener, ids.deployment), placement);
}

/** Stores a key of this role (a listener's is bound to the listener), and gives it. */
export function seedKey(table: Seeded, role: Role, changes: Partial<ApiKeyItem> = {}): string {
  const key = newApiKey();
  table.seed(apiKeyKey(hashOf(key)), {
    v: 4,
    entity: 'api_key',
    id: ids.user,
    organization_id: ids.organization,
    tenant_id: ids.tenant,
    user_id: ids.user,
    role,
    ...(role === 'listener' && { listener_id: ids.listener }),
    name: 'test',
    hint: 'slp_…',
    created_at: AT,
    ...changes,
  } satisfies ApiKeyItem);
  return key;
}
