import { type ComputeType, computeKinds, computeWords } from '../compute/kinds.ts';
import {
  type DefaultRuntime,
  type DurableWish,
  NEEDS_COMMAND,
  needsGraphs,
  type ResolvedRuntime,
  type Runtime,
  type RuntimeReason,
} from '../contract/deployments/runtimes.ts';
import type { AgentServer } from '../contract/revision-status.ts';

/** The first version of a listener that runs `durable`. */
export const DURABLE_SINCE = '0.2.0';

/** What a runtime came to, and why that. */
export type Resolved = { resolved: ResolvedRuntime; reason: RuntimeReason };

type Host = {
  compute_type: ComputeType;
  compute_id: string;
  /** As its listener last said; undefined: it never did. */
  version?: string | undefined;
};

/** What is known before a revision is built. */
export type RuntimeWish = {
  /** What the revision's configuration asks for. */
  wish: Runtime | undefined;
  /** What the deployment's revisions came to before; undefined: nothing is known of that. */
  before: ResolvedRuntime | undefined;
  /** An earlier release has deployed it, which noted no runtime. */
  hasServed: boolean;
  startCommand: string | undefined;
  host: Host;
  /** What `auto` is where this installation says so. */
  fallback: DefaultRuntime;
};

export type RuntimeFacts = RuntimeWish & {
  server: AgentServer;
  /** It was built for Slipway's own agent server. */
  isBuiltDurable: boolean;
};

/** The server that a `langgraph.json` has on compute of a type where nothing else is asked for. */
export const usualRuntime = (type: ComputeType): 'dev' | 'licensed' =>
  computeKinds[type].runs === 'folder' ? 'dev' : 'licensed';

/** Why a change of what was resolved has to be asked for twice. */
export const newStateReason = (asked: ResolvedRuntime, now: ResolvedRuntime): string =>
  `Revisions of this deployment run in '${now}', and in '${asked}' none of their threads are there: threads do not move with a runtime. Send "accept_new_state": true beside it to begin without them.`;

export const reasonWords: Readonly<Record<RuntimeReason, string>> = {
  asked: 'source_config.runtime says so',
  start_command: 'start_command starts it',
  own_server: 'its source starts a server of its own',
  first_revision: 'its first revision ran it, and threads do not move',
  redeployed: 'a revision that ran in it was deployed again',
  installation: 'this installation runs it by default',
  usual: 'it is the usual one where the deployment runs',
};

/**
 * Why a listener cannot run what is asked for, whatever the source is; undefined: it can. With the way out.
 */
export function runtimeProblem(
  runtime: Runtime | undefined,
  startCommand: string | undefined,
  host: Host,
): string | undefined {
  const { compute_id: id, compute_type: type } = host;
  const { does } = computeWords[type];
  if (runtime === undefined || runtime === 'auto' || runtime === 'command') return undefined;
  if (startCommand !== undefined)
    return `'source_config.runtime' is '${runtime}', and 'start_command' starts another server: clear start_command, or set runtime to 'command'.`;
  if (runtime === 'durable') return durableProblem(host);
  if (runtime === usualRuntime(host.compute_type)) return undefined;
  const why =
    runtime === 'dev' ? 'is a program of a machine' : "is LangChain's image, and this one runs no images";
  return `'source_config.runtime' is '${runtime}', which ${why}; listener ${id} ${does}. Set it to '${usualRuntime(host.compute_type)}', 'command' or 'auto', or use another listener.`;
}

function durableProblem({ compute_id: id, compute_type: type, version }: Host): string | undefined {
  if (!computeKinds[type].isOneMachine)
    return `'source_config.runtime' is 'durable', which runs on listeners of compute_type 'process' so far; listener ${id} ${computeWords[type].does}. Set it to '${usualRuntime(type)}', or use another listener.`;
  // One that has never asked for tasks says its version when it takes this one.
  return version === undefined ? undefined : tooOld(id, version);
}

/** Why the listener that is about to take a revision cannot run it; undefined: it can, as far as its version goes. */
export const unknownRuntime = (
  runtime: ResolvedRuntime | undefined,
  { compute_id: id, version }: Host,
): string | undefined => (runtime === 'durable' ? tooOld(id, version) : undefined);

const tooOld = (id: string, version: string | undefined): string | undefined =>
  version !== undefined && isAtLeast(version, DURABLE_SINCE)
    ? undefined
    : `'source_config.runtime' is 'durable', which listeners know since version ${DURABLE_SINCE}; listener ${id} has ${version === undefined ? 'named no version' : `version ${version}`}. Update it, or set runtime to 'dev'.`;

const numbersOf = (version: string): number[] | undefined =>
  /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version)?.slice(1).map(Number);

/** Whether a version is another one or later; of one that is no version that is not known. */
export function isAtLeast(version: string, least: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(least)];
  if (one === undefined || other === undefined) return false;
  const differs = one.findIndex((number, index) => number !== other[index]);
  return differs === -1 || (one[differs] ?? 0) > (other[differs] ?? 0);
}

/**
 * Whether a revision is built for Slipway's own agent server: it is not known before whether its source has
 * graphs, nor whether they go together with that.
 */
export function durableWish(facts: RuntimeWish): DurableWish | undefined {
  const { wish = 'auto', before, hasServed, startCommand, host, fallback } = facts;
  if (wish === 'durable') return 'asked';
  if (wish !== 'auto' || startCommand !== undefined) return undefined;
  if (before !== undefined && before !== 'command') return before === 'durable' ? 'kept' : undefined;
  if (hasServed || fallback !== 'durable') return undefined;
  return runtimeProblem('durable', undefined, host) === undefined ? 'preferred' : undefined;
}

/**
 * What runs a revision, once it is known what was built. What the graphs of a `langgraph.json` run in is
 * chosen once for a deployment, for their threads do not move with them.
 */
export function resolveRuntime(facts: RuntimeFacts): Resolved | { problem: string } {
  const { wish = 'auto', server, startCommand, host, isBuiltDurable } = facts;
  const problem = runtimeProblem(wish, startCommand, host);
  if (problem !== undefined) return { problem };
  if (wish === 'auto') return chosen(facts);
  if (wish === 'durable' && server === 'langgraph' && !isBuiltDurable) return { problem: NOT_BUILT };
  if (wish !== 'command') {
    // What is in an image that was made elsewhere is known to whoever says so.
    if (server === 'langgraph' || wish === 'licensed') return { resolved: wish, reason: 'asked' };
    return { problem: needsGraphs(wish) };
  }
  if (
    server === 'langgraph' &&
    startCommand === undefined &&
    computeKinds[host.compute_type].runs === 'folder'
  )
    return { problem: NEEDS_COMMAND };
  return { resolved: 'command', reason: 'asked' };
}

/** What a revision runs in that ran in it before, and why. */
export function resolvedAgain(
  known: ResolvedRuntime,
  {
    runtime: wish,
    start_command: startCommand,
  }: { runtime?: Runtime | undefined; start_command?: string | undefined },
): Resolved {
  if (known !== 'command' || wish === 'command') return { resolved: known, reason: 'redeployed' };
  return { resolved: known, reason: startCommand === undefined ? 'own_server' : 'start_command' };
}

/**
 * What a deployment keeps of it: what its graphs ran in is kept while something else is started in their
 * place, for their threads are still there.
 */
export const keptRuntime = (before: Resolved | undefined, now: Resolved): Resolved =>
  before !== undefined &&
  before.resolved !== 'command' &&
  now.resolved === 'command' &&
  (now.reason === 'start_command' || now.reason === 'own_server')
    ? before
    : now;

const NOT_BUILT =
  "'source_config.runtime' is 'durable', and this revision was built for another one: create a revision that is built anew.";

function chosen(facts: RuntimeFacts): Resolved | { problem: string } {
  const { before, hasServed, server, startCommand, host, fallback, isBuiltDurable } = facts;
  if (startCommand !== undefined) return { resolved: 'command', reason: 'start_command' };
  if (server === 'other') return { resolved: 'command', reason: 'own_server' };
  if (before === 'durable' && !isBuiltDurable) return { problem: NOT_BUILT };
  if (before !== undefined && before !== 'command') return { resolved: before, reason: 'first_revision' };
  // Nobody has asked for another one than an earlier release ran.
  if (hasServed) return { resolved: usualRuntime(host.compute_type), reason: 'usual' };
  const isFit =
    fallback !== 'auto' &&
    (fallback !== 'durable' || isBuiltDurable) &&
    runtimeProblem(fallback, undefined, host) === undefined;
  return isFit
    ? { resolved: fallback, reason: 'installation' }
    : { resolved: usualRuntime(host.compute_type), reason: 'usual' };
}
