import { isDeepStrictEqual } from 'node:util';
import { type PlainField, plainFields } from '../../../contract/deployments/fields.ts';
import { equals, guard, present, put, putNew, update } from '../../../store/dynamodb/expressions.ts';
import type { Write } from '../../../store/dynamodb/transact.ts';
import {
  agentKey,
  buildSecretsKey,
  configurationKey,
  deploymentKeyOf,
  deploymentRowKey,
  nameKey,
  secretsKey,
} from '../../../store/keys/index.ts';
import type { AuditMark } from '../../items/audit-events.ts';
import { rowOf, waitingIn, waitingRow } from '../../items/deployment-rows.ts';
import { configurationOf, deploymentRefOf } from '../../items/deployments.ts';
import { claimHost } from '../../items/hosts.ts';
import { checkIntegration } from '../../items/integrations.ts';
import type { Configuration, Deployment, Listener, Revision } from '../../items/items.ts';
import { checkListener, checkListenerOpen } from '../../items/listener-writes.ts';
import { inFlightDue } from '../../items/looks.ts';
import type { NameReservation } from '../../items/names.ts';
import { moveWatch } from '../../items/push-watches.ts';
import { noteMade, noteMadeFirst } from '../../items/revision-ends.ts';
import { putRevision } from '../../items/revisions.ts';

/** Sweep looks at a queue within this time, should the stream not have. */
const queueDue = (deployment: Deployment, now: number) => inFlightDue(deploymentRefOf(deployment), now);

/**
 * A configuration as the version item that deployments and revisions refer to. It may also say who asked for
 * it: written once, it is where that costs nothing later.
 */
const putConfiguration = (
  { tenant_id: tenantId, id }: Deployment,
  stored: Configuration,
  audit: AuditMark | undefined,
): Write =>
  putNew(`configuration ${stored.version}`, {
    ...configurationKey(tenantId, id, stored.version),
    ...stored,
    ...(audit !== undefined && { audit }),
  });

/** What is asked for may be the revision rather than the change that it makes. */
const aboutRevision = (audit: AuditMark, { latest_revision_id: id }: Deployment): AuditMark =>
  audit.action.startsWith('revision.') ? { ...audit, subject_id: id } : audit;

/** Ciphertexts, of what changes. */
export type Sealed = { secrets: string | undefined; buildSecrets: string | undefined };

function putSecrets({ tenant_id, id }: Deployment, version: number, sealed: Sealed): Write[] {
  const { secrets, buildSecrets } = sealed;
  const item = { v: 1, tenant_id, version };
  return [
    ...(secrets === undefined
      ? []
      : [
          putNew('secrets', {
            ...secretsKey(tenant_id, id, version),
            ...item,
            entity: 'secrets',
            sealed: secrets,
          }),
        ]),
    ...(buildSecrets === undefined
      ? []
      : [
          putNew('build secrets', {
            ...buildSecretsKey(tenant_id, id, version),
            ...item,
            entity: 'build_secrets',
            sealed: buildSecrets,
          }),
        ]),
  ];
}

export type NewDeployment = {
  deployment: Deployment;
  /** Its first. */
  revision: Revision;
  listener: Listener;
  sealed: Sealed;
  /** Tells a repeated request from another one. */
  requestHash: string;
  audit: AuditMark;
  /** Epoch milliseconds. */
  now: number;
};

/**
 * Makes a deployment and its first revision. Demands that its name, agent and host are free, that its
 * listener takes it, and that its integration is there (the writes `name`, `agent`, `host`, `listener` and
 * `integration` fail then).
 */
export function createDeploymentWrites(made: NewDeployment): Write[] {
  const { deployment, revision, listener, sealed, requestHash, audit, now } = made;
  const { tenant_id: tenantId, id, agent, config } = deployment;
  const due = deployment.queued.length > 0 ? queueDue(deployment, now) : {};
  const integrationId = config.integration_id;
  return [
    putNew('deployment', { ...deploymentKeyOf(deployment), ...deployment, ...due }),
    put('deployment_row', { ...deploymentRowKey(tenantId, id), ...rowOf(deployment) }),
    reserveName(deployment, requestHash),
    putRevision(revision),
    ...noteMadeFirst(revision),
    putConfiguration(deployment, configurationOf(deployment), audit),
    checkListenerOpen(listener, deployment.k8s_namespace),
    ...claimHost(deployment),
    ...moveWatch(undefined, deployment, now),
    ...(integrationId === undefined ? [] : [checkIntegration(tenantId, integrationId)]),
    ...putSecrets(deployment, deployment.config_version, sealed),
    ...(agent === undefined ? [] : [reserveAgent(deployment, agent)]),
  ];
}

function reserveName(deployment: Deployment, requestHash: string): Write {
  const reservation: NameReservation = {
    v: 1,
    entity: 'name',
    tenant_id: deployment.tenant_id,
    deployment_id: deployment.id,
    created_by: deployment.created_by,
    created_at: deployment.created_at,
    request_hash: requestHash,
  };
  return putNew('name', { ...nameKey(deployment.tenant_id, deployment.name), ...reservation });
}

const reserveAgent = (
  { tenant_id, id }: Deployment,
  { agent_id: agentId, environment }: NonNullable<Deployment['agent']>,
): Write => {
  const reservation = { v: 1, entity: 'agent', tenant_id, deployment_id: id };
  return putNew('agent', { ...agentKey(tenant_id, agentId, environment), ...reservation });
};

export type ChangedDeployment = {
  /** As it was read. */
  before: Deployment;
  after: Deployment;
  /** The revision that the change makes, if it makes one. */
  revision: Revision | undefined;
  /** Configurations of versions that are not stored yet: the deployment's, the revision's, or of both. */
  configurations: Configuration[];
  sealed: Sealed;
  audit: AuditMark;
  /** Epoch milliseconds. */
  now: number;
};

/**
 * Changes what requests own of a deployment, and queues the new revision. Demands that no other request was
 * quicker, that no deletion was asked for meanwhile and that the listener is there; what the engine changed
 * meanwhile stays.
 */
export function changeDeployment({
  before,
  after,
  revision,
  configurations,
  sealed,
  audit,
  now,
}: ChangedDeployment): Write[] {
  const queued = revision?.status === 'QUEUED' ? revision.number : undefined;
  const mark = aboutRevision(audit, after);
  return [
    ownedChange(
      before,
      after,
      {
        // Where a configuration is stored it says who asked.
        ...(configurations.length === 0 && { audit: mark }),
        ...(queued !== undefined && queueDue(before, now)),
      },
      queued,
    ),
    checkListener(before),
    ...moveWatch(before, after, now),
    ...(queued === undefined ? [] : waits(before, queued)),
    ...(revision === undefined ? [] : [putRevision(revision), ...noteMade(revision)]),
    ...configurations.map((stored, index) => putConfiguration(after, stored, index === 0 ? mark : undefined)),
    ...putSecrets(after, after.config_version, sealed),
  ];
}

/** What waits for nothing is taken at once: its row says nothing of it. */
function waits(before: Deployment, queued: number): Write[] {
  const waiting = waitingIn({ ...before, queued: [...before.queued, queued] });
  return waiting === 0 ? [] : [waitingRow(before, waiting)];
}

function ownedChange(
  before: Deployment,
  after: Deployment,
  beside: Record<string, unknown>,
  queued: number | undefined,
): Write {
  // What is as it was read stays as it is: the engine may have changed it meanwhile.
  const changed = requestedFields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const asked = Object.fromEntries(changed.map((field) => [field, after[field]]));
  return update(
    'deployment',
    deploymentKeyOf(before),
    {
      // An earlier release may have stored it in the version before.
      set: { v: after.v, ...asked, ...beside },
      remove: changed.filter((field) => after[field] === undefined),
      ...(queued !== undefined && { append: { queued: [queued] } }),
    },
    guard('request: still there', present('pk')),
    guard('request: version as read', equals('config_version', before.config_version)),
    guard('request: number as read', equals('latest_number', before.latest_number)),
    guard('deletion: as read', equals('status', before.status)),
  );
}

/**
 * What a request to change a deployment does with each field. `wish`: it asks for it; a request that changes
 * no wish, no source of revisions and no secret changes nothing. `result`: it writes what follows from the
 * request. `kept`: it leaves the field as it is; most of these belong to the engine, which writes at the same
 * time. Plain fields are wishes. A new field does not compile until it stands here.
 */
const uses = {
  v: 'kept',
  entity: 'kept',
  tenant_id: 'kept',
  id: 'kept',
  name: 'kept',
  source: 'kept',
  agent: 'kept',
  created_at: 'kept',
  created_by: 'kept',
  listener_id: 'kept',
  k8s_namespace: 'kept',
  config: 'wish',
  secret_references: 'wish',
  updated_at: 'result',
  revision_source: 'result',
  revision_config: 'result',
  secret_names: 'result',
  config_version: 'result',
  configuration: 'result',
  secrets: 'result',
  latest_number: 'result',
  latest_revision_id: 'result',
  status: 'kept',
  active: 'kept',
  runtime: 'kept',
  reported_urls: 'kept',
  slot: 'kept',
  queued: 'kept',
  pushed: 'kept',
  task_id: 'kept',
  epoch: 'kept',
  due_at: 'kept',
  artifacts: 'kept',
} as const satisfies Record<Exclude<keyof Deployment, PlainField>, 'wish' | 'result' | 'kept'>;

type Field = keyof Deployment;

const fieldsOf = (...names: string[]): Field[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `satisfies` has checked that the keys of `uses` are exactly the other fields
  (Object.keys(uses) as (keyof typeof uses)[]).filter((field) => names.includes(uses[field]));

/** The fields that a request may ask to change, beside the source and the values of secrets. */
export const wishedFields: readonly Field[] = [...plainFields, ...fieldsOf('wish')];

/** All fields that a request writes. */
export const requestedFields: readonly Field[] = [...wishedFields, ...fieldsOf('result')];
