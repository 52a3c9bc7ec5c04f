import * as z from 'zod';
import { computeTypes } from '../../compute/kinds.ts';
import { configFields, plainStored, runFields, storedShape } from '../../contract/deployments/fields.ts';
import { revisionStatuses, sources } from '../../contract/revision-status.ts';
import { anyObject } from '../../contract/validation/as-given.ts';
import {
  active,
  artifactItem,
  cause,
  commitDescription,
  keptArtifacts,
  lostBuild,
  outcome,
  revisionConfig,
  runtimeItem,
  secretReference,
  slot,
} from './parts.ts';

/**
 * The shapes stored in the table, one schema a kind. Each item carries its kind (`entity`, what stream
 * filters read) and the version of its shape (`v`); a change of shape raises the version and upgrades the old
 * one on read. Times are ISO 8601 UTC in what responses show, epoch milliseconds where they are compared.
 */
const base = { tenant_id: z.string(), v: z.literal(1) };
const second = { ...base, v: z.literal(2) };

/** What a deployment is configured to be, without what changes at each revision. */
export const deploymentConfig = z.object(storedShape(configFields));
export type DeploymentConfig = z.infer<typeof deploymentConfig>;

/**
 * The second version of a deployment may have `config.drain_seconds`, the third `config.push_paths` and
 * `pushed`, the fourth `reported_urls`, the fifth `active.configuration` and `active.secrets`, the sixth in
 * `config` what the second version of a configuration may have, the seventh `config.runtime`,
 * `config.on_release` and `runtime`.
 */
export const DEPLOYMENT_VERSION = 7;
export const deployment = z.object({
  ...base,
  v: z.literal(DEPLOYMENT_VERSION),
  entity: z.literal('deployment'),
  id: z.string(),
  name: z.string(),
  ...plainStored(),
  source: z.enum(sources),
  agent: z.object({ agent_id: z.string(), environment: z.string() }).optional(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  /** The stored part of the status; UNKNOWN is judged at read from health and the listener's silence. */
  status: z.enum(['UNUSED', 'READY', 'AWAITING_DELETE']),
  config: deploymentConfig,
  /** The kind and the fields of the latest revision's source. */
  revision_source: z.enum(sources),
  revision_config: revisionConfig,
  listener_id: z.string(),
  k8s_namespace: z.string().optional(),
  secret_names: z.array(z.string()),
  secret_references: z.array(secretReference),
  /** Counts configuration changes (the ETag). */
  config_version: z.int(),
  /** The version item that holds the current configuration, and that of the secrets (none: no secrets). */
  configuration: z.int(),
  secrets: z.int().optional(),
  latest_number: z.int(),
  latest_revision_id: z.string(),
  active: active.optional(),
  /** What `runtime` of its configuration came to; absent: no revision was offered to its listener. */
  runtime: runtimeItem.optional(),
  /** The addresses that its listener has reported, the newest first; absent before another one than before. */
  reported_urls: z.array(z.string()).optional(),
  slot: slot.optional(),
  queued: z.array(z.int()),
  /** The number of the last revision that a push made. */
  pushed: z.int().optional(),
  /** The open task on the listener, whichever revision it serves; at most one. */
  task_id: z.string().optional(),
  epoch: z.int(),
  /** Epoch milliseconds; only while sweep has to look at it. */
  due_at: z.number().optional(),
  artifacts: keptArtifacts.optional(),
});
export type Deployment = z.infer<typeof deployment>;
export type { Slot } from './parts.ts';

/**
 * The second version of a revision may have `artifact.server`, the third `commit` and `cause`, the fourth a
 * `reason` in the cause of a push, the fifth `build_phase` and an unstarted `lost_build`, the sixth
 * `build_secrets`, the seventh `runtime`, the eighth `made_by`.
 */
export const REVISION_VERSION = 8;
export const revision = z.object({
  ...base,
  v: z.literal(REVISION_VERSION),
  entity: z.literal('revision'),
  deployment_id: z.string(),
  id: z.string(),
  number: z.int(),
  source: z.enum(sources),
  status: z.enum(revisionStatuses),
  status_message: z.string().optional(),
  history: z.array(z.object({ status: z.enum(revisionStatuses), at: z.string() })),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  /** Who that is, for people; absent: a push, or an earlier release made it. */
  made_by: z.object({ kind: z.enum(['person', 'key', 'service']), name: z.string() }).optional(),
  revision_config: revisionConfig,
  commit: commitDescription.optional(),
  cause: cause.optional(),
  configuration: z.int(),
  secrets: z.int().optional(),
  /** The version that its configuration names too: what its builds print is masked by it. */
  build_secrets: z.int().optional(),
  /**
   * It names no source of its own: it takes kind, commit and artifact of the one before it, once that ended.
   */
  inherits: z.boolean(),
  artifact: artifactItem.optional(),
  /** What runs it; absent: it was not resolved yet, or an earlier release made it. */
  runtime: runtimeItem.shape.resolved.optional(),
  /**
   * With its id the name of its execution. A dead one goes on as the next attempt; its writes are refused.
   */
  attempt: z.int().optional(),
  /** This attempt died without an outcome, and the next is to be started; `cause`: the workflow's word. */
  restart: z.object({ attempt: z.int(), cause: z.string() }).optional(),
  /** How often its executions died in the stage that it is in. */
  deaths: z.object({ stage: z.enum(['create', 'build', 'deploy']), count: z.int() }).optional(),
  /** Epoch milliseconds: the workflow first said it knows of no execution (it is eventually consistent). */
  execution_absent_since: z.number().optional(),
  /** How many looks found its listener silent, the last of them `at` (epoch milliseconds). */
  silence_found: z.object({ at: z.number(), looks: z.int() }).optional(),
  build_id: z.string().optional(),
  /** The attempt that first asked for this build; it may have died before it heard the build's id. */
  build_attempt: z.int().optional(),
  /** Epoch milliseconds: until then it may wait for a builder, or, once it is being built, take. */
  build_due_at: z.number().optional(),
  /** Epoch milliseconds: the builder said first that it knows of no such build. */
  build_absent_since: z.number().optional(),
  /** How many builds of it were lost through no fault of its own: each build has a name of its own. */
  builds_lost: z.int().optional(),
  /** The last of them. */
  lost_build: lostBuild.optional(),
  /** Why its build is being stopped, when that is not by an interrupt. */
  stop_reason: z.string().optional(),
  /** What was last heard of its build: it waits in the builder's own queue, or runs. */
  build_phase: z.enum(['waiting', 'running']).optional(),
  /** No build can start, and none of its tokens is alive until the next try. */
  at_capacity: z.boolean().optional(),
  /** Epoch milliseconds; only while sweep has to look at it. */
  due_at: z.number().optional(),
  task_id: z.string().optional(),
  outcome: outcome.optional(),
  interrupt_requested_at: z.string().optional(),
  /** The listener has announced that it moves traffic: from here on it is too late to interrupt. */
  switching: z.boolean().optional(),
});
export type Revision = z.infer<typeof revision>;

/**
 * Immutable; what revisions snapshot. The second version may have `root_directory`, `dockerfile_path`,
 * `docker_target`, `build_env`, `build_secrets`, `start_command` and `health_check`, the third `runtime`.
 */
export const CONFIGURATION_VERSION = 3;
export const configuration = z.object({
  ...base,
  v: z.literal(CONFIGURATION_VERSION),
  entity: z.literal('configuration'),
  version: z.int(),
  ...storedShape(runFields),
  secret_references: z.array(secretReference),
  secret_names: z.array(z.string()),
});
export type Configuration = z.infer<typeof configuration>;

/** Immutable; `sealed` opens only under this tenant and deployment. */
const sealed = { version: z.int(), sealed: z.string() };
/** Of servers. */
export const secretsVersion = z.object({ ...base, entity: z.literal('secrets'), ...sealed });
/** Of builds: listeners are given none of them. */
export const buildSecretsVersion = z.object({ ...base, entity: z.literal('build_secrets'), ...sealed });

export const taskToken = z.object({
  ...base,
  entity: z.literal('token'),
  attempt: z.int(),
  stage: z.enum(['build', 'deploy']),
  /** Which try of the stage's state within the attempt it was made for, from 0. */
  retry: z.int(),
  token: z.string(),
});
export type TaskToken = z.infer<typeof taskToken>;

/**
 * What lists walk over and filter by. Thin: a hundred skipped ones cost 5 read units at most. Tenant and id
 * are in its key alone.
 */
export const deploymentRow = z.object({
  v: z.literal(3),
  entity: z.literal('deployment_row'),
  /** The deployment's id. */
  sk: z.string(),
  name: z.string(),
  status: z.enum(['UNUSED', 'READY', 'AWAITING_DELETE']),
  agent_id: z.string().optional(),
  agent_environment: z.string().optional(),
  image_version: z.string().optional(),
  /** The id of its listener, packed (see deployment-rows.ts). */
  listener: z.string(),
  /** What runs is not healthy, or nothing runs; absent: all is well. */
  health: z.enum(['poor', 'gone']).optional(),
  /** The deployment's type, where it is short. */
  type: z.string().optional(),
  /** Only the deployment tells its type: it is long, or the row of an earlier version. */
  typed: z.literal(true).optional(),
  /** How many of its revisions wait behind another; absent: none, or not known. */
  waiting: z.int().optional(),
});
export type DeploymentRow = z.infer<typeof deploymentRow>;

export const listener = z.object({
  ...second,
  entity: z.literal('listener'),
  id: z.string(),
  compute_type: z.enum(computeTypes),
  compute_id: z.string(),
  k8s_namespaces: z.array(z.string()),
  compute_config: anyObject(),
  version: z.string().optional(),
  /** Its machine, as it says itself: `linux/arm64`. */
  platform: z.string().optional(),
  is_default: z.boolean(),
  /**
   * Set while it is found out whether deployments still use the listener, or these namespaces of it: neither
   * takes new ones meanwhile. Its id is of the one request that asked, so nobody acts on what another has
   * found out.
   */
  closing: z.object({ id: z.string(), namespaces: z.array(z.string()).optional() }).optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Listener = z.infer<typeof listener>;

const task = z.object({
  ...base,
  entity: z.literal('task'),
  id: z.string(),
  listener_id: z.string(),
  deployment_id: z.string(),
  epoch: z.int(),
  offered_at: z.number(),
});
const lease = {
  lease_id: z.string(),
  lease_until: z.number(),
  last_heartbeat_at: z.number(),
  instance_id: z.string(),
};
/**
 * May be claimed. The lease is the one that ran out, if it was claimed before: its holder may still take the
 * task up again.
 */
const offered = task.extend({ state: z.literal('offered'), ...z.object(lease).partial().shape });
/** Under a lease. */
const claimed = task.extend({ state: z.literal('claimed'), ...lease });
/** Claimed once, now to be stopped. */
const cancelled = task.extend({ state: z.literal('cancelled'), ...lease });

const deploy = { kind: z.literal('DEPLOY'), revision_id: z.string() };
const removal = { kind: z.literal('DELETE') };

/**
 * What a listener is to do, and how far that is: to deploy a revision, or to remove what it runs of a
 * deployment.
 */
export const openTask = z.discriminatedUnion('kind', [
  z.discriminatedUnion('state', [offered.extend(deploy), claimed.extend(deploy), cancelled.extend(deploy)]),
  z.discriminatedUnion('state', [
    offered.extend(removal),
    claimed.extend(removal),
    cancelled.extend(removal),
  ]),
]);
export type OpenTask = z.infer<typeof openTask>;
export type OpenDeployTask = Extract<OpenTask, { kind: 'DEPLOY' }>;
export type OpenDeletionTask = Extract<OpenTask, { kind: 'DELETE' }>;
export type ClaimedTask = Extract<OpenTask, { state: 'claimed' }>;
