import { type CommitLook, nothingSeen, SourceError } from '../../adapters/git.ts';
import type { GitCredentials } from '../../adapters/git-credentials.ts';
import { maskSecrets } from '../../contract/mask.ts';
import {
  type Considering,
  describeCommit,
  isPushed,
  type LastConsidered,
  lastConsidered,
} from '../../domain/pushes.ts';
import { retryRaces, transact, type Write } from '../../store/dynamodb/transact.ts';
import { findDeployment } from '../../store/engine/deployments.ts';
import type { Deployment, Revision } from '../../store/engine/items.ts';
import { findRevisionByNumber } from '../../store/engine/revisions.ts';
import { queuePushed } from '../../store/engine/transactions/pushes.ts';
import { findWatch, noteConsidered, type Watch, watchedBy } from '../../store/pushes/watches.ts';
import { QUEUE_LENGTH_MAX } from '../deployments/checks/deployment.ts';
import type { Deps } from '../deps.ts';
import { credentialsOf } from '../integrations/sealed.ts';
import { newRevision, nextRevision } from '../revisions/new-revision.ts';
import type { Said } from './parse-delivery.ts';
import { touchedPaths } from './touched-paths.ts';

export type ConsiderDeps = Pick<Deps, 'table' | 'clock' | 'keys' | 'git'>;

/** What becomes of a push for a deployment: a revision, or the reason why none. */
export type Considered = { revisionId: string } | { reason: string };

export type Asking = {
  cause: NonNullable<Revision['cause']>;
  /** What commits say of themselves, as far as it is known already. */
  said?: ReadonlyMap<string, Said>;
  /** The write that goes along with what becomes of it. */
  beside: (considered: Considered) => Write[];
};

/**
 * Brings a deployment to the head of its branch: reads the head, and queues a revision of it unless it was
 * considered before, waits to be, or touches none of the deployment's paths. Whoever else does the same at
 * the same time, or has said what was pushed in which order: the head is read after the deployment, and the
 * transaction demands that the deployment is as it was read, so a later revision never has an earlier head.
 */
export function considerHead(
  deps: ConsiderDeps,
  owner: { tenantId: string; deploymentId: string },
  asking: Asking,
): Promise<Considered> {
  const considered = new Set<string | undefined>();
  const patient = { ...asking, look: rememberedLooks(deps.git) };
  return retryRaces(deps.table, async () => {
    const state = await stateOf(deps, owner);
    if (state === undefined)
      return noted(deps, asking, { reason: 'the deployment builds no pushes to it any more' });
    considered.add(JSON.stringify(state.watch.considered));
    const reason =
      considered.size > OTHERS_SEEN
        ? 'pushes that came at the same time were considered together with it'
        : reasonToLeave(state, asking);
    if (reason !== undefined) return noted(deps, asking, { reason });
    const integrationId = state.deployment.config.integration_id;
    const credentials = await credentialsOf(deps, owner.tenantId, integrationId);
    const head = await headOf(deps, state, credentials);
    if ('reason' in head) return noted(deps, asking, head);
    return decideOn(deps, state, head.commit, credentials, patient);
  });
}

/**
 * Whoever notes a commit has read what was noted before, and the head after that. Of two that did so since
 * this call began, the second has read the head since then too, with whatever was pushed before: nothing is
 * left to do. Else the deliveries of many pushes would go on losing races against each other.
 */
const OTHERS_SEEN = 2;

function reasonToLeave({ deployment: { queued }, last }: State, { cause }: Asking): string | undefined {
  if (last.is === 'waits')
    return `revision ${last.revisionId}, which is queued, takes the branch's head when it is processed`;
  if (last.is === 'resolving' && cause.kind === 'head') return 'a revision is about to find out its commit';
  return queued.length >= QUEUE_LENGTH_MAX ? `${queued.length} revisions wait already` : undefined;
}

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

/** Writes what goes along with the end of a delivery that made nothing. */
async function noted<C extends Considered>(
  deps: ConsiderDeps,
  { beside }: Asking,
  considered: C,
): Promise<C> {
  const writes = beside(considered);
  if (writes.length > 0) await transact(deps.table, writes);
  return considered;
}

type State = { deployment: Deployment; watch: Watch; name: string; repoUrl: string; last: LastConsidered };

async function stateOf(
  { table }: ConsiderDeps,
  { tenantId, deploymentId }: { tenantId: string; deploymentId: string },
): Promise<State | undefined> {
  const deployment = await findDeployment(table, tenantId, deploymentId);
  const watching = watchedBy(deployment);
  if (deployment === undefined || watching === undefined) return undefined;
  const watch = await findWatch(table, tenantId, watching.name, deploymentId);
  if (watch === undefined) return undefined;
  const last = lastConsidered(await ownRevisions(table, deployment, watch), watch.considered);
  return { deployment, watch, name: watching.name, repoUrl: watching.repoUrl, last };
}

/** The newest revisions, back to the first that names its own source. */
async function ownRevisions(
  table: Deps['table'],
  deployment: Deployment,
  watch: Watch,
): Promise<Considering[]> {
  const owner = { tenantId: deployment.tenant_id, deploymentId: deployment.id };
  const oldest = Math.max(1, watch.considered?.number ?? 1);
  const found: Considering[] = [];
  for (let number = deployment.latest_number; number >= oldest; number--) {
    const revision = await findRevisionByNumber(table, owner, number);
    if (revision === undefined) break;
    found.push(consideringOf(revision));
    if (found.at(-1)?.looksBack === false) break;
  }
  return found;
}

function consideringOf(revision: Revision): Considering {
  const { id, number, inherits, cause, status, source, revision_config: config } = revision;
  return {
    id,
    number,
    looksBack: inherits || cause?.kind === 'redeploy' || source !== 'github',
    commit: config.repo_commit_sha,
    status: status === 'QUEUED' ? 'queued' : status === 'AWAITING_BUILD' ? 'resolving' : 'other',
  };
}

/** An undefined commit: this installation cannot ask (ssh on AWS); the build finds it out. */
async function headOf(
  { git }: ConsiderDeps,
  { watch, repoUrl }: State,
  credentials: GitCredentials | undefined,
): Promise<{ commit: string | undefined } | { reason: string }> {
  try {
    const heads = await git.heads(repoUrl, [watch.branch], credentials);
    if (heads === undefined) return { commit: undefined };
    const commit = heads.get(watch.branch);
    return commit === undefined ? { reason: `the repository has no branch '${watch.branch}'` } : { commit };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const message = maskSecrets(error.message, credentials === undefined ? [] : [credentials.token]);
    return { reason: `${message}; its head is asked again within minutes` };
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
  const look = await lookAt(state, { commit, since }, credentials, asking);
  const touched = await touchedPaths(deployment.config.push_paths ?? [], look.changed);
  if (commit !== undefined && touched === 'no') {
    const considered = { reason: `commit ${commit} touches none of the deployment's push_paths` };
    await transact(deps.table, [...note(deployment.latest_number), ...asking.beside(considered)]);
    return considered;
  }
  const revision = pushedRevision(deps, deployment, commit, look.said, asking.cause);
  const replaced = await waitingPush(deps, deployment);
  const considered = { revisionId: revision.id };
  await transact(deps.table, [
    ...queuePushed({ deployment, revision, replaced, now: deps.clock.now() }),
    ...note(revision.number),
    ...asking.beside(considered),
  ]);
  return considered;
}

/** The host is asked only for what the delivery has not said. */
async function lookAt(
  { deployment, repoUrl }: State,
  { commit, since }: { commit: string | undefined; since: string | undefined },
  credentials: GitCredentials | undefined,
  { said, look }: Patient,
): Promise<CommitLook> {
  if (commit === undefined) return nothingSeen;
  const known = said?.get(commit);
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
      { userId: before.created_by },
      { skipped: undefined, inherits: false, artifact: undefined },
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
