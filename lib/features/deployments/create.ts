import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../contract/deployments/secrets.ts';
import { refuse } from '../../contract/errors.ts';
import type { Source } from '../../contract/revision-status.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import { withoutTrailing } from '../../contract/trailing.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { newRevision, nextRevision } from '../../core/deployments/new-revision.ts';
import type { Deps } from '../../core/deps.ts';
import { createDeploymentWrites } from '../../core/engine/transactions/deployments.ts';
import { deploymentRefOf, findDeployment } from '../../core/items/deployments.ts';
import { DEPLOYMENT_VERSION, type Deployment, type Listener } from '../../core/items/items.ts';
import { type NameReservation, reservationInTheWay } from '../../core/items/names.ts';
import { isFullAlone, withinLimit } from '../../core/limits.ts';
import { openBuildSecrets, openDeploymentSecrets } from '../../core/secrets.ts';
import { checkSource, fieldsOfKind, nothingToBuild, sourceKinds, sourceOf } from '../../domain/source.ts';
import { ConditionsFailed, transact } from '../../store/dynamodb/transact.ts';
import { NO_REGISTRY } from '../registry/shape.ts';
import { chooseListener, listenerRefusalOf } from './choose-listener.ts';
import { checkClusterNames, checkOperatorLimits, checkRoom, checkWhatRuns } from './compute-checks.ts';
import { mergeConfig, resolveSecrets, sealNew, withBuildSecrets, withPlain } from './configuration.ts';
import { describePendingDeletion, hostTaken, integrationGone } from './conflicts.ts';
import { checkBuildNames, checkImagePlace, checkPushPaths, checkRepository } from './field-checks.ts';
import type { createDeployment as row } from './routes.ts';
import { checkRuntime } from './runtime-checks.ts';
import type { CreateDeploymentBody } from './shape.ts';
import { type ShownDeployment, showDeployment } from './view.ts';

/** The version of configuration and secrets that a create stores. */
const FIRST_VERSION = 1;

type CreateDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'settings' | 'idempotency'>;

/** Makes a deployment and its first revision, in one transaction. */
export async function createDeployment(
  deps: CreateDeps,
  { body }: Pick<RouteInput<typeof row>, 'body'>,
  caller: Caller,
): Promise<ShownDeployment> {
  checkNoTarball(body);
  const source = sourceOf(body.source, fieldsOf(body));
  checkNew(deps, source, body);
  const secrets = await resolveSecrets(deps, undefined, body);
  const { listener, namespace } = await chooseListener(deps, caller.tenantId, source, body.source_config);
  checkWhatRuns(listener, body);
  checkRuntime(listener, body.source_config, { config: mergeConfig({}, body.source_config) });
  checkClusterNames(listener, body.source_config.resource_spec, undefined);
  checkOperatorLimits(listener, body.source_config);
  await checkRoom(deps, listener);
  const deployment = newDeployment(deps, body, source, listener.id, namespace, caller);
  const skipped = nothingToBuild(source, fieldsOf(body));
  const revision = newRevision(deps, deployment, { skipped, inherits: false, artifact: undefined }, caller);
  const sealed = await sealNew(deps, deploymentRefOf(deployment), secrets);
  const shown = await showDeployment(deps, deployment);
  const writes = createDeploymentWrites({
    deployment,
    revision,
    listener,
    sealed,
    requestHash: requestHash(body),
    audit: auditMarkOf(deps, { action: 'deployment.create' }, caller),
    now: deps.clock.now(),
  });
  const beside = deps.idempotency.record(shown);
  return withinLimit(deps, { tenantId: caller.tenantId }, 'deployments', async (counted) => {
    try {
      await transact(deps.table, [...writes, counted, ...beside]);
    } catch (error) {
      if (!(error instanceof ConditionsFailed) || isFullAlone(error)) throw error;
      return showDeployment(deps, await afterRefusal(deps, error, { deployment, listener, body, caller }));
    }
    return shown;
  });
}

const fieldsOf = (body: CreateDeploymentBody) => ({ ...body.source_config, ...body.source_revision_config });

/** Before anything else is said of the source: that the kinds do not fit would be half of the truth. */
function checkNoTarball({
  source_revision_config: { source_tarball_path: path },
}: CreateDeploymentBody): void {
  if (path === undefined) return;
  throw refuse('source_configuration', {
    reason:
      "'source_tarball_path' cannot be given on create: it names an upload of this very deployment, which is not there yet. Create it with source 'internal_source' and without a path, ask for an upload URL (POST /v2/deployments/{deployment_id}/upload-url), upload the tarball, then PATCH the 'object_path'.",
  });
}

function checkNew({ settings }: CreateDeps, source: Source, body: CreateDeploymentBody): void {
  const fields = fieldsOf(body);
  checkSource(source, fields, fields);
  checkRepository(body.source_config, settings);
  if (sourceKinds[source].isPushedHere && settings.registryHost === undefined) {
    throw refuse('source_configuration', { reason: NO_REGISTRY });
  }
  checkImagePlace(settings, undefined, fields.image_uri);
  checkPushPaths(source, fields.push_paths, undefined);
  checkBuildNames(withBuildSecrets(mergeConfig({}, fields), fields.build_secrets, FIRST_VERSION), fields);
}

function newDeployment(
  deps: CreateDeps,
  body: CreateDeploymentBody,
  source: Source,
  listenerId: string,
  namespace: string | undefined,
  caller: Caller,
): Deployment {
  const at = new Date(deps.clock.now()).toISOString();
  const first = nextRevision(deps, 0);
  const names = (body.secrets ?? []).map((secret) => secret.name);
  const queued = nothingToBuild(source, fieldsOf(body)) === undefined ? [first.number] : [];
  return {
    v: DEPLOYMENT_VERSION,
    entity: 'deployment',
    tenant_id: caller.tenantId,
    id: deps.clock.orderedId(),
    name: body.name ?? nameOf(body.agent),
    ...withPlain({}, body),
    source,
    ...(body.agent !== undefined && { agent: body.agent }),
    created_at: at,
    updated_at: at,
    created_by: caller.userId,
    status: 'UNUSED',
    config: withBuildSecrets(
      mergeConfig({}, body.source_config),
      body.source_config.build_secrets,
      FIRST_VERSION,
    ),
    revision_source: source,
    revision_config: fieldsOfKind(source, body.source_revision_config),
    listener_id: listenerId,
    ...(namespace !== undefined && { k8s_namespace: namespace }),
    secret_names: names,
    secret_references: body.secret_references ?? [],
    config_version: FIRST_VERSION,
    configuration: FIRST_VERSION,
    ...(names.length > 0 && { secrets: FIRST_VERSION }),
    latest_number: first.number,
    latest_revision_id: first.id,
    queued,
    epoch: 0,
  };
}

/** A deployment made for an agent may leave the name to us. */
function nameOf(agent: CreateDeploymentBody['agent']): string {
  const text = `${agent?.agent_id}-${agent?.environment}`.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-');
  return withoutTrailing(text.replace(/^[_-]+/, '').slice(0, 63), '_-') || 'agent';
}

/**
 * Tells a repeated request from another one. Secret values are left out: a hash of them would be theirs to
 * guess.
 */
function requestHash(body: CreateDeploymentBody): string {
  const namesOf = (list: Secret[] | undefined) => list?.map(({ name }) => name);
  const { source_config: config } = body;
  const named = {
    ...body,
    secrets: namesOf(body.secrets),
    source_config: { ...config, build_secrets: namesOf(config.build_secrets) },
  };
  return createHash('sha256').update(JSON.stringify(named)).digest('hex');
}

/**
 * Why the transaction was refused: a repeated request gets what the first one made, anything else a plain
 * answer.
 */
async function afterRefusal(
  deps: CreateDeps,
  { failed }: ConditionsFailed,
  tried: { deployment: Deployment; listener: Listener; body: CreateDeploymentBody; caller: Caller },
): Promise<Deployment> {
  const { deployment, listener, body, caller } = tried;
  if (failed.has('listener'))
    throw listenerRefusalOf(listener, deployment.k8s_namespace, failed.get('listener'));
  if (failed.has('name')) {
    const reservation = reservationInTheWay(failed);
    const made = await repeatedCreate(deps, reservation, body, caller);
    if (made !== undefined) return made;
    throw refuse('name_taken', {
      name: deployment.name,
      pendingDeletion: await describePendingDeletion(deps, reservation),
    });
  }
  if (failed.has('agent') && deployment.agent !== undefined) {
    const { agent_id: agentId, environment } = deployment.agent;
    throw refuse('agent_taken', { agentId, environment });
  }
  const refused = (await hostTaken(deps, failed, deployment)) ?? integrationGone(failed, deployment.config);
  if (refused !== undefined) throw refused;
  throw new Error(`create was refused by ${[...failed.keys()].join(', ')}`);
}

/**
 * Old clients send a create again when the connection drops, without an Idempotency-Key; they do so within
 * this time.
 */
const REPEATED_WITHIN_MILLISECONDS = 120_000;
/**
 * The deployment that this very request made a moment ago; undefined when the name is taken by anything else.
 */
async function repeatedCreate(
  deps: Pick<Deps, 'table' | 'clock' | 'keys'>,
  reservation: NameReservation | undefined,
  body: CreateDeploymentBody,
  caller: Caller,
): Promise<Deployment | undefined> {
  if (reservation === undefined) return undefined;
  const ageMilliseconds = deps.clock.now() - Date.parse(reservation.created_at);
  const alike = reservation.created_by === caller.userId && reservation.request_hash === requestHash(body);
  if (!alike || ageMilliseconds > REPEATED_WITHIN_MILLISECONDS) return undefined;
  const deployment = await findDeployment(deps.table, caller.tenantId, reservation.deployment_id);
  if (deployment === undefined || deployment.status === 'AWAITING_DELETE') return undefined;
  const ref = deploymentRefOf(deployment);
  const {
    secrets = [],
    source_config: { build_secrets: buildSecrets = [] },
  } = body;
  // The secrets as created: the deployment may have changed since. The hash has shown that the names are the
  // same.
  const firstOf = (list: Secret[]) => (list.length > 0 ? FIRST_VERSION : undefined);
  const stored = [
    await openDeploymentSecrets(deps, ref, firstOf(secrets)),
    await openBuildSecrets(deps, ref, firstOf(buildSecrets)),
  ];
  return isDeepStrictEqual(stored, [secrets, buildSecrets]) ? deployment : undefined;
}
