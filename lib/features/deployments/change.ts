import { computeWords, imageTypes } from '../../compute/kinds.ts';
import type { Secret } from '../../contract/deployments/secrets.ts';
import { refuse } from '../../contract/errors.ts';
import type { Source } from '../../contract/revision-status.ts';
import { auditMarkOf } from '../../core/audit.ts';
import type { Caller } from '../../core/caller.ts';
import { checkMatch, checkOpen, checkQueue, checkWaiting } from '../../core/deployments/checks.ts';
import { newRevision, nextRevision } from '../../core/deployments/new-revision.ts';
import type { Deps } from '../../core/deps.ts';
import { changeDeployment } from '../../core/engine/transactions/deployments.ts';
import type { AuditMark } from '../../core/items/audit-events.ts';
import { configurationOf, deploymentRefOf, getDeploymentItem } from '../../core/items/deployments.ts';
import { changeAddress, moveHost } from '../../core/items/hosts.ts';
import type { Deployment, Listener, Revision } from '../../core/items/items.ts';
import { getListenerItem } from '../../core/items/listeners.ts';
import { canRun, checkSource, nothingToBuild, sourceKinds } from '../../domain/source.ts';
import { ConditionsFailed, retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { type ChangePlan, isOfSource, planOf, sourceAfter } from './change-plan.ts';
import { checkClusterNames, checkOperatorLimits, checkWhatRuns } from './compute-checks.ts';
import {
  hasSameConfiguration,
  type NewSecrets,
  resolveSecrets,
  sealNew,
  withChangesOf,
  withSettledSource,
} from './configuration.ts';
import { changesIntegration, hostTaken } from './conflicts.ts';
import {
  askedAnew,
  checkBuildNames,
  checkImagePlace,
  checkImmutable,
  checkPushPaths,
  checkRepository,
  checkSecretNames,
} from './field-checks.ts';
import { recordUpload } from './record-upload.ts';
import { checkRuntime, checkRuntimeChange } from './runtime-checks.ts';
import type { ChangeDeploymentBody } from './shape.ts';

export type ChangeDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'blobs' | 'settings' | 'idempotency'>;

export type ChangeRequest = {
  deploymentId: string;
  body: ChangeDeploymentBody;
  ifMatch: string | undefined;
  /** Make a revision whatever is sent; PATCH makes one only for what a revision would run. */
  always: boolean;
};

/**
 * Merges a request into a deployment's configuration and, when it asks for something a revision would run,
 * queues a revision of the result, in one transaction. A request that names no source and changes nothing
 * writes nothing. One that loses a race is made again on what the winner wrote. `show` makes the output of
 * what will be there, before it is.
 */
export function change<T>(
  deps: ChangeDeps,
  request: ChangeRequest,
  caller: Caller,
  show: (deployment: Deployment, revision: Revision | undefined) => Promise<T>,
): Promise<T> {
  return retryRaces(deps.table, async () => {
    const stored = await getDeploymentItem(deps.table, caller.tenantId, request.deploymentId);
    const { body } = request;
    checkOpen(stored);
    checkMatch(stored, request.ifMatch);
    checkImmutable(stored, body);
    const plan = planOf(stored, body, request.always);
    const before = plan.revises && !plan.namesSource ? await withSettledSource(deps, stored) : stored;
    const listener = await getListenerItem(deps.table, before.tenant_id, before.listener_id);
    const named = await checkAsked(deps, before, listener, body, plan);
    const secrets = await resolveSecrets(deps, before, body);
    const asked = withChangesOf(before, body, secrets);
    await checkSecretNames(deps, before, asked, body);
    checkBuildNames(asked.config, body.source_config ?? {});
    checkRuntime(listener, askedAnew(before, body).source_config, asked);
    await checkRuntimeChange(deps, { before, after: asked, listener, body, plan });
    if (!plan.always && secrets.secrets === undefined && hasSameConfiguration(asked, stored)) {
      const output = await show(stored, undefined);
      const record = deps.idempotency.record(output);
      if (record.length > 0) await transact(deps.table, record);
      return output;
    }
    if (plan.revises || asked.config.custom_url !== before.config.custom_url)
      checkOperatorLimits(listener, asked.config);
    if (plan.revises) {
      checkQueue(before);
      await checkWaiting(deps, before);
    }
    const after = changed(deps, before, asked, body, plan, secrets.secrets);
    const revision = plan.revises ? revisionOf(deps, after, plan, caller) : undefined;
    const queued = revision?.status === 'QUEUED' ? [...before.queued, revision.number] : before.queued;
    const output = await show({ ...after, queued }, revision);
    const record = deps.idempotency.record(output);
    const audit = auditMarkOf(
      deps,
      { action: request.always ? 'revision.create' : 'deployment.change' },
      caller,
    );
    await write(deps, { before, after, revision, secrets, audit, beside: [...named, ...record] });
    return output;
  });
}

/** Refuses what cannot be; gives the writes that go with what the request names. */
async function checkAsked(
  deps: ChangeDeps,
  before: Deployment,
  listener: Listener,
  body: ChangeDeploymentBody,
  plan: ChangePlan,
): Promise<Write[]> {
  const anew = askedAnew(before, body);
  checkRepository(anew.source_config, deps.settings);
  checkRunnable(before, listener, body, plan.namesSource ? plan.kind : before.revision_source);
  const own = deploymentRefOf(before);
  checkImagePlace(deps.settings, own, anew.source_revision_config.image_uri);
  checkPushPaths(before.source, body.source_config?.push_paths, before.config.push_paths);
  return [
    ...(await namedUpload(deps, before, body)),
    ...(await changesIntegration(deps, before, body.source_config ?? {})),
  ];
}

function checkRunnable(
  before: Deployment,
  listener: Listener,
  body: ChangeDeploymentBody,
  kind: Source,
): void {
  if (!sourceKinds[before.source].revisions.includes(kind)) {
    const reason = `a revision of a deployment with source '${before.source}' cannot come from '${kind}'.`;
    throw refuse('source_configuration', { reason });
  }
  const anew = askedAnew(before, body);
  const fields = { ...anew.source_config, ...anew.source_revision_config };
  const sameKind = kind === before.revision_source;
  checkWhatRuns(listener, anew);
  checkClusterNames(listener, body.source_config?.resource_spec, before.config.resource_spec);
  if (sameKind && !isOfSource(fields)) return;
  checkSource(kind, fields, { ...before.config, ...(sameKind && before.revision_config), ...fields });
  if (!canRun(listener.compute_type, kind)) {
    const reason = `listener ${listener.compute_id} ${computeWords[listener.compute_type].does} and cannot run images; a listener of compute_type ${imageTypes} would.`;
    throw refuse('source_configuration', { reason });
  }
}

/** The writes that record the tarball that is named, if one is. */
async function namedUpload(
  deps: ChangeDeps,
  before: Deployment,
  body: ChangeDeploymentBody,
): Promise<Write[]> {
  const path = body.source_revision_config?.source_tarball_path;
  return path === undefined || path === '' ? [] : recordUpload(deps, before, path);
}

function changed(
  deps: ChangeDeps,
  before: Deployment,
  asked: Deployment,
  body: ChangeDeploymentBody,
  plan: ChangePlan,
  secrets: Secret[] | undefined,
): Deployment {
  const version = before.config_version + 1;
  const after: Deployment = {
    ...asked,
    updated_at: new Date(deps.clock.now()).toISOString(),
    config_version: version,
    ...(plan.revises && plan.namesSource && sourceAfter(before, body, plan.kind)),
    ...(plan.revises && { configuration: version }),
    ...(secrets !== undefined && { secrets: version }),
  };
  if (secrets?.length === 0) delete after.secrets;
  return plan.revises ? { ...after, ...numbered(deps, before) } : after;
}

function numbered(
  deps: ChangeDeps,
  before: Deployment,
): Pick<Deployment, 'latest_number' | 'latest_revision_id'> {
  const next = nextRevision(deps, before.latest_number);
  return { latest_number: next.number, latest_revision_id: next.id };
}

function revisionOf(deps: ChangeDeps, after: Deployment, plan: ChangePlan, caller: Caller): Revision {
  const fields = { ...after.config, ...after.revision_config };
  const skipped = nothingToBuild(after.revision_source, fields);
  const inherits = !plan.namesSource && skipped === undefined;
  const revision = newRevision(deps, after, { skipped, inherits, artifact: undefined }, caller);
  const { repo_commit_sha: _, ...unresolved } = revision.revision_config;
  return { ...revision, revision_config: unresolved };
}

type Changes = {
  before: Deployment;
  after: Deployment;
  revision: Revision | undefined;
  secrets: NewSecrets;
  audit: AuditMark;
  beside: Write[];
};

async function write(
  deps: ChangeDeps,
  { before, after, revision, secrets, audit, beside }: Changes,
): Promise<void> {
  const sealed = await sealNew(deps, deploymentRefOf(before), secrets);
  const hosts = [
    ...(await moveHost(deps.table, before, after)),
    ...(await changeAddress(deps.table, before, after)),
  ];
  const configurations = revision === undefined ? [] : [configurationOf(after)];
  const changes = { before, after, revision, configurations, sealed, audit, now: deps.clock.now() };
  await transact(deps.table, [...changeDeployment(changes), ...hosts, ...beside]).catch(
    async (error: unknown) => {
      const refused =
        error instanceof ConditionsFailed ? await hostTaken(deps, error.failed, after) : undefined;
      throw refused ?? error;
    },
  );
}
