import { type CommitLook, nothingSeen, SourceError } from '../../adapters/git.ts';
import type { GitCredentials } from '../../adapters/git-credentials.ts';
import { ApiError } from '../../contract/errors.ts';
import { createMask, type Mask, maskSecrets } from '../../contract/mask.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { RevisionCause } from '../../contract/revision-status.ts';
import { describeCommit } from '../../core/commit-words.ts';
import { checkWaiting, QUEUE_LENGTH_MAX } from '../../core/deployments/checks.ts';
import { newRevision, nextRevision } from '../../core/deployments/new-revision.ts';
import type { Deps } from '../../core/deps.ts';
import { queuePushed } from '../../core/engine/transactions/pushes.ts';
import { credentialsOf } from '../../core/git-credentials.ts';
import type { Deployment, Revision } from '../../core/items/items.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { secretValues, secretVersionsOf } from '../../core/secrets.ts';
import { retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { type Asking, awaitedNow, type Considered } from './awaiting.ts';
import type { Said } from './parse-delivery.ts';
import { type State, stateOf } from './state.ts';
import { noteConsidered } from './store.ts';
import { touchedPaths } from './touched-paths.ts';

export type ConsiderDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'git' | 'settings'>;

/**
 * Brings a deployment to the head of its branch: reads the head, and queues a revision of it unless it was
 * considered before, waits to be, or touches none of the deployment's paths. Notes for the deliveries that
 * wait for it what it came to. Whoever else does the same at the same time, or has said what was pushed in
 * which order: the head is read after the deployment, and the transaction demands that the deployment is as
 * it was read, so a later revision never has an earlier head. `pk`: where the repository's watches are. `ask`
 * reads what waits for it.
 */
export async function considerHead(
  deps: ConsiderDeps,
  owner: DeploymentRef,
  pk: string,
  ask = awaitedNow,
): Promise<Considered> {
  try {
    return await consider(deps, owner, pk, ask);
  } catch (error) {
    // Above a limit nothing is made, and nothing is forgotten either.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return retryRaces(deps.table, async () => {
      const over: Considered = { reason: error.message, again: true };
      return noted(deps, await ask(deps, owner, pk), over);
    });
  }
}

function consider(
  deps: ConsiderDeps,
  owner: DeploymentRef,
  pk: string,
  ask: typeof awaitedNow,
): Promise<Considered> {
  const considered = new Set<string | undefined>();
  const look = rememberedLooks(deps.git);
  return retryRaces(deps.table, async () => {
    const state = await stateOf(deps, owner, pk);
    const asking = { ...(await ask(deps, owner, pk)), look };
    if (state === undefined)
      return noted(deps, asking, { reason: 'the deployment builds no pushes to it any more' });
    considered.add(JSON.stringify(state.watch.considered));
    const left: Considered | undefined =
      considered.size > OTHERS_SEEN
        ? { reason: 'pushes that came at the same time were considered together with it' }
        : reasonToLeave(state, asking);
    if (left !== undefined) return noted(deps, asking, left);
    const integrationId = state.deployment.config.integration_id;
    const credentials = await credentialsOf(deps, owner.tenantId, integrationId);
    const head = await headOf(deps, state, credentials);
    if ('reason' in head) return noted(deps, asking, head);
    return decideOn(deps, state, head.commit, credentials, asking);
  });
}

/**
 * Whoever notes a commit has read what was noted before, and the head after that. Of two that did so since
 * this call began, the second has read the head since then too, with whatever was pushed before: nothing is
 * left to do. Else the deliveries of many pushes would go on losing races against each other.
 */
const OTHERS_SEEN = 2;

function reasonToLeave({ deployment: { queued }, last }: State, { cause }: Asking): Considered | undefined {
  if (last.is === 'waits')
    return {
      reason: `revision ${last.revisionId}, which is queued, takes the branch's head when it is processed`,
    };
  if (last.is === 'resolving' && cause.kind === 'head')
    return { reason: 'a revision is about to find out its commit' };
  return queued.length >= QUEUE_LENGTH_MAX
    ? { reason: `${queued.length} revisions wait already; ${AGAIN}`, again: true }
    : undefined;
}

const AGAIN = 'its head is asked again within minutes';

/** What was seen of a commit stays so, when the same is asked in another try. */
function rememberedLooks(git: Deps['git']): Deps['git']['look'] {
  const looks = new Map<string, Promise<CommitLook>>();
  return (repoUrl, asked, credentials) => {
    const question = `${asked.commit} ${asked.since}`;
    const look = looks.get(question) ?? git.look(repoUrl, asked, credentials);
    looks.set(question, look);
    return look;
  };
}

type Patient = Asking & { look: Deps['git']['look'] };

/** Writes what goes along with a look that makes nothing. */
async function noted(
  { table }: ConsiderDeps,
  { beside }: Asking,
  considered: Considered,
): Promise<Considered> {
  const writes = beside(considered);
  if (writes.length > 0) await transact(table, writes);
  return considered;
}

/** An undefined commit: this installation cannot ask (ssh on AWS); the build finds it out. */
async function headOf(
  { git }: ConsiderDeps,
  { watch, repoUrl }: State,
  credentials: GitCredentials | undefined,
): Promise<{ commit: string | undefined } | Exclude<Considered, { revisionId: string }>> {
  try {
    const heads = await git.heads(repoUrl, [watch.branch], credentials);
    if (heads === undefined) return { commit: undefined };
    const commit = heads.get(watch.branch);
    return commit === undefined ? { reason: `the repository has no branch '${watch.branch}'` } : { commit };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const message = maskSecrets(error.message, credentials === undefined ? [] : [credentials.token]);
    return { reason: `${message}; ${AGAIN}`, again: true, unread: true };
  }
}

async function decideOn(
  deps: ConsiderDeps,
  state: State,
  commit: string | undefined,
  credentials: GitCredentials | undefined,
  asking: Patient,
): Promise<Considered> {
  const { deployment, watch, name, last } = state;
  const since = last.is === 'commit' ? last.commit : undefined;
  const note = (number: number): Write[] =>
    commit === undefined ? [] : [noteConsidered(watch, name, { commit, number })];
  if (commit !== undefined && commit === since) {
    const considered = { reason: `commit ${commit} was considered before` };
    const isNoted = watch.considered?.commit === commit;
    const writes = [...(isNoted ? [] : note(deployment.latest_number)), ...asking.beside(considered)];
    if (writes.length > 0) await transact(deps.table, writes);
    return considered;
  }
  if (commit !== undefined && last.is === 'elsewhere' && asking.cause.kind === 'head') {
    const considered = { reason: `commit ${commit} was there when a rollback came to this branch` };
    await transact(deps.table, [...note(deployment.latest_number), ...asking.beside(considered)]);
    return considered;
  }
  const look = await lookAt(state, { commit, since }, credentials, asking);
  const touched = await touchedPaths(deployment.config.push_paths ?? [], look.changed);
  if (commit !== undefined && touched === 'no') {
    const considered = { reason: `commit ${commit} touches none of the deployment's push_paths` };
    await transact(deps.table, [...note(deployment.latest_number), ...asking.beside(considered)]);
    return considered;
  }
  const unknown = commit !== undefined && typeof touched === 'object' ? touched.unknown : undefined;
  const mask = await deploymentMask(deps, deployment, credentials);
  const cause = { ...asking.cause, ...(unknown !== undefined && { reason: mask(notEvaluated(unknown)) }) };
  const said = look.said && maskedCommit(look.said, mask);
  const revision = pushedRevision(deps, deployment, commit, said, cause);
  const replaced = await waitingPush(deps, deployment);
  if (replaced === undefined) await checkWaiting(deps, deployment);
  const considered = { revisionId: revision.id };
  await transact(deps.table, [
    ...queuePushed({ deployment, revision, replaced, now: deps.clock.now() }),
    ...note(revision.number),
    ...asking.beside(considered),
  ]);
  return considered;
}

/** What comes from the host is kept without the secrets that the next revision has. */
async function deploymentMask(
  deps: ConsiderDeps,
  deployment: Deployment,
  credentials: GitCredentials | undefined,
): Promise<Mask> {
  const { tenant_id: tenantId, id: deploymentId } = deployment;
  const values = await secretValues(deps, { tenantId, deploymentId }, secretVersionsOf(deployment));
  return createMask(credentials === undefined ? values : [...values, credentials.token]);
}

const maskedCommit = (said: Said, mask: Mask): Said => ({
  ...said,
  message: mask(said.message),
  author: mask(said.author),
});

const notEvaluated = (why: string): string => `its push_paths could not be evaluated: ${why}`;

/** The host is asked only for what the delivery has not said. */
async function lookAt(
  { deployment, repoUrl }: State,
  { commit, since }: { commit: string | undefined; since: string | undefined },
  credentials: GitCredentials | undefined,
  { said, look }: Patient,
): Promise<CommitLook> {
  if (commit === undefined) return nothingSeen;
  const known = said.get(commit);
  const paths = deployment.config.push_paths ?? [];
  const asked = { commit, since: paths.length > 0 ? since : undefined };
  if (known !== undefined && asked.since === undefined) return { said: known, changed: undefined };
  const seen = await look(repoUrl, asked, credentials);
  return { ...seen, said: known ?? seen.said };
}

function pushedRevision(
  deps: ConsiderDeps,
  before: Deployment,
  commit: string | undefined,
  said: Said | undefined,
  cause: NonNullable<Revision['cause']>,
): Revision {
  const next = nextRevision(deps, before.latest_number);
  const { repo_commit_sha: _, ...config } = before.revision_config;
  const after: Deployment = {
    ...before,
    latest_number: next.number,
    latest_revision_id: next.id,
    revision_config: commit === undefined ? config : { ...config, repo_commit_sha: commit },
  };
  const description = said && describeCommit(said);
  return {
    ...newRevision(
      deps,
      after,
      { skipped: undefined, inherits: false, artifact: undefined },
      { userId: before.created_by },
    ),
    cause,
    ...(description !== undefined && { commit: description }),
  };
}

/** The earlier push that has not been processed yet; the one in the slot is in the queue no more. */
async function waitingPush({ table }: ConsiderDeps, deployment: Deployment): Promise<Revision | undefined> {
  const { pushed, queued, tenant_id: tenantId, id: deploymentId } = deployment;
  if (pushed === undefined || !queued.includes(pushed)) return undefined;
  const revision = await findRevisionByNumber(table, { tenantId, deploymentId }, pushed);
  return revision?.status === 'QUEUED' && isPushed(revision.cause?.kind) ? revision : undefined;
}

/** Whether pushes made it: a newer one of these takes the place of one that only waits. */
const isPushed = (kind: RevisionCause | undefined): boolean => kind === 'push' || kind === 'head';
