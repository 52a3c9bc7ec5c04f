import { computeKinds } from '../../compute/kinds.ts';
import { NEEDS_COMMAND, type ResolvedRuntime } from '../../contract/deployments/runtimes.ts';
import { refuse } from '../../contract/errors.ts';
import type { Deps } from '../../core/deps.ts';
import { deploymentRefOf } from '../../core/items/deployments.ts';
import type {
  Configuration,
  Deployment,
  DeploymentConfig,
  Listener,
  Revision,
} from '../../core/items/items.ts';
import { findListener } from '../../core/items/listeners.ts';
import { findRevisionByNumber } from '../../core/items/revisions.ts';
import { serverOf } from '../../domain/agent-server.ts';
import { newStateReason, runtimeProblem, usualRuntime } from '../../domain/runtime.ts';
import { sourceKinds } from '../../domain/source.ts';
import type { ChangePlan } from './change-plan.ts';
import type { ChangeDeploymentBody } from './shape.ts';

type Table = Pick<Deps, 'table'>;

/**
 * Refuses a runtime that its listener or another field rules out, and a rule for releases that it has no
 * means for. What is stored already is taken when it is sent back.
 */
export function checkRuntime(
  listener: Listener,
  asked: Pick<DeploymentConfig, 'runtime' | 'start_command' | 'on_release'>,
  after: { config: DeploymentConfig; runtime?: Deployment['runtime'] },
): void {
  const { runtime, start_command: startCommand } = after.config;
  const isAsked = asked.runtime !== undefined || asked.start_command !== undefined;
  const problem = isAsked ? runtimeProblem(runtime, startCommand, listener) : undefined;
  if (problem !== undefined) throw refuse('source_configuration', { reason: problem });
  const pins = runtime === 'durable' || after.runtime?.resolved === 'durable';
  if (asked.on_release?.waiting === 'pin' && !pins)
    throw refuse('source_configuration', {
      reason: `'source_config.on_release.waiting' is 'pin', which runtime 'durable' alone can; set it to 'warn', 'refuse' or 'move'.`,
    });
}

type Change = {
  before: Deployment;
  after: Deployment;
  listener: Listener;
  body: ChangeDeploymentBody;
  plan: ChangePlan;
};

/**
 * Refuses another runtime than the deployment's revisions came to, unless the request says that it knows:
 * the threads of one are not there in another. Refuses `command` where it is known that there is none.
 */
export async function checkRuntimeChange(deps: Table, change: Change): Promise<void> {
  await checkCommand(deps, change);
  const { before, after, listener, body } = change;
  const asked = body.source_config?.runtime;
  if (body.accept_new_state === true || asked === undefined || asked === (before.config.runtime ?? 'auto'))
    return;
  const now = before.runtime?.resolved ?? (await servedBy(deps, before, listener));
  const next = asked === 'auto' ? await chosenAfter(deps, { before, after, listener, now }) : asked;
  if (now === undefined || next === undefined || next === now) return;
  throw refuse('state_forbids', { reason: newStateReason(next, now) });
}

/** A source that stays as it is has a langgraph.json, and the change leaves nothing that starts it. */
async function checkCommand(deps: Table, { before, after, listener, body, plan }: Change): Promise<void> {
  const { runtime, start_command: startCommand } = after.config;
  if (!plan.revises || runtime !== 'command' || startCommand !== undefined) return;
  if (computeKinds[listener.compute_type].runs !== 'folder' || !staysSame(before, body, plan)) return;
  const revision = await activeOf(deps, before);
  if (revision !== undefined && madeOf(revision, before.config) === 'langgraph')
    throw refuse('source_configuration', { reason: NEEDS_COMMAND });
}

/** Whether what is built is what was built before: a branch may have moved on since. */
function staysSame(before: Deployment, body: ChangeDeploymentBody, plan: ChangePlan): boolean {
  if (!plan.namesSource) return true;
  const { source_config: config, source_revision_config: source = {} } = body;
  const isUpload = sourceKinds[plan.kind].needs === 'source_tarball_path';
  const names = [config?.root_directory, ...Object.values(source ?? {})].some((value) => value !== undefined);
  return plan.kind === before.revision_source && isUpload && !names;
}

/** What `auto` comes to where a command was asked for before; undefined: what it is, or nobody knows yet. */
async function chosenAfter(
  deps: Table,
  { before, after, listener, now }: Pick<Change, 'before' | 'after' | 'listener'> & { now: unknown },
): Promise<ResolvedRuntime | undefined> {
  if (now !== 'command' || after.config.start_command !== undefined) return undefined;
  const revision = await activeOf(deps, before);
  const isAgent = revision !== undefined && madeOf(revision, before.config) === 'langgraph';
  return isAgent ? usualRuntime(listener.compute_type) : undefined;
}

const activeOf = async ({ table }: Table, before: Deployment): Promise<Revision | undefined> =>
  before.active && findRevisionByNumber(table, deploymentRefOf(before), before.active.number);

const madeOf = (
  { source, artifact }: Revision,
  { resource_spec: sent = {} }: Pick<Configuration, 'resource_spec'>,
) => serverOf({ source, server: artifact?.server }, sent);

/** What an earlier release, which noted no runtime, has run a revision in. */
function ranIn(
  revision: Revision,
  configuration: Pick<Configuration, 'resource_spec' | 'start_command'>,
  { compute_type: type }: Listener,
): ResolvedRuntime {
  if (configuration.start_command !== undefined) return 'command';
  return madeOf(revision, configuration) === 'langgraph' ? usualRuntime(type) : 'command';
}

/** What an earlier release has deployed; undefined: nothing was deployed yet. */
async function servedBy(
  deps: Table,
  before: Deployment,
  listener: Listener,
): Promise<ResolvedRuntime | undefined> {
  const revision = await activeOf(deps, before);
  return revision && ranIn(revision, before.config, listener);
}

/**
 * What a revision that is deployed again runs in: what it ran in. Refuses another runtime than the
 * deployment's revisions came to by now. A server of its own is no other home for threads, unless it was
 * asked for as one: theirs stay where they are, for when it is gone.
 */
export async function runtimeAgain(
  { table }: Table,
  { before, old, snapshot }: { before: Deployment; old: Revision; snapshot: Configuration },
  accepts: boolean | undefined,
): Promise<ResolvedRuntime | undefined> {
  const { runtime: now } = before;
  const then = old.runtime ?? (now && (await ranOnce(table, before, old, snapshot)));
  const isAnother = now !== undefined && then !== undefined && now.resolved !== then;
  if (isAnother && accepts !== true && (then !== 'command' || snapshot.runtime === 'command'))
    throw refuse('state_forbids', { reason: newStateReason(then, now.resolved) });
  return then;
}

/** Undefined: it was never deployed. */
async function ranOnce(
  table: Deps['table'],
  { tenant_id: tenantId, listener_id: listenerId }: Deployment,
  old: Revision,
  snapshot: Configuration,
): Promise<ResolvedRuntime | undefined> {
  if (!old.history.some(({ status }) => status === 'DEPLOYING')) return undefined;
  const listener = await findListener(table, tenantId, listenerId);
  return listener && ranIn(old, snapshot, listener);
}
