import type { AuditMark } from '../../store/audit-items.ts';
import { absent, equals, guard, present, put, update } from '../../store/expressions.ts';
import type { Deployment, Revision } from '../../store/items.ts';
import { configurationKey, deploymentKey, due, revisionKey, secretsKey } from '../../store/keys.ts';
import type { Write } from '../../store/operations.ts';
import { IN_FLIGHT_LOOK_MILLISECONDS } from '../../store/revisions.ts';
import { configurationOf } from './configuration.ts';

/** A revision's own item; its number must be free. */
export const putRevision = (revision: Revision): Write =>
  put(
    'revision',
    { ...revisionKey(revision.tenant_id, revision.deployment_id, revision.number), ...revision },
    guard('creation: not there yet', absent('pk')),
  );

/**
 * The configuration that this deployment has now, as the version item that revisions refer to. It also says who asked for it: written once,
 * it is where that costs nothing later.
 */
export const putConfiguration = (deployment: Deployment, audit: AuditMark): Write =>
  put(
    'configuration',
    {
      ...configurationKey(deployment.tenant_id, deployment.id, deployment.configuration),
      ...configurationOf(deployment),
      // What is asked for may be the revision rather than the change that it makes.
      audit: audit.action.startsWith('revision.')
        ? { ...audit, subject_id: deployment.latest_revision_id }
        : audit,
    },
    guard('creation: not there yet', absent('pk')),
  );

export function putSecrets(deployment: Deployment, version: number, sealed: string): Write {
  const key = secretsKey(deployment.tenant_id, deployment.id, version);
  const item = { v: 1, entity: 'secrets', tenant_id: deployment.tenant_id, version, sealed };
  return put('secrets', { ...key, ...item }, guard('creation: not there yet', absent('pk')));
}

/** Sweep looks at a queue within this time, should the stream not have. */
export const queueDue = (deployment: Deployment, now: number): { due_pk: string; due_at: number } =>
  due(deploymentKey(deployment.tenant_id, deployment.id).pk, now + IN_FLIGHT_LOOK_MILLISECONDS);

/** The attributes that requests own; all others are the engine's, which changes them at the same time. */
const OWNED = [
  'updated_at',
  'display_name',
  'config',
  'revision_source',
  'revision_config',
  'secret_names',
  'secret_references',
  'config_version',
  'configuration',
  'secrets',
  'tracked_packages',
  'latest_number',
  'latest_revision_id',
] as const satisfies (keyof Deployment)[];

/** Those of them that a request may take away. */
const CLEARED = ['display_name', 'secrets'] as const satisfies (typeof OWNED)[number][];

/**
 * Writes what a request made of a deployment that was read as `before`, and queues the new revision, if any. Refused when another request was
 * quicker; what the engine changed meanwhile stays. `audit`: who asked, when no configuration is stored that says so.
 */
export function changeDeployment(
  before: Deployment,
  after: Deployment,
  queued: number | undefined,
  now: number,
  audit?: AuditMark,
): Write {
  const set: Record<string, unknown> = {};
  for (const field of OWNED) set[field] = after[field];
  return update(
    'deployment',
    deploymentKey(before.tenant_id, before.id),
    {
      set: { ...set, audit, ...(queued !== undefined && queueDue(before, now)) },
      remove: CLEARED.filter((field) => after[field] === undefined),
      ...(queued !== undefined && { append: { queued: [queued] } }),
    },
    guard('request: still there', present('pk')),
    guard('request: version as read', equals('config_version', before.config_version)),
    guard('request: number as read', equals('latest_number', before.latest_number)),
    guard('deletion: as read', equals('status', before.status)),
  );
}
