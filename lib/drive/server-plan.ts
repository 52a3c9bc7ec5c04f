import { createHash } from 'node:crypto';
import type { SharedVariables } from '../adapters/agent-secrets.ts';
import { managedComputeKinds } from '../compute/kinds.ts';
import type { ServerPlan } from '../compute/managed.ts';
import { ComputeRefused, type Plan } from '../compute/port.ts';
import { revisionVariables, serverDefaults } from '../contract/server-variables.ts';
import { execLine } from '../contract/shell-line.ts';
import type { Listener } from '../core/items/items.ts';
import { describeFailure, HEALTH_PATH } from '../domain/agent-failure.ts';
import { needsMissing } from '../domain/agent-server.ts';
import { platformsOf } from '../domain/platforms.ts';
import { judgeRelease, releaseRuleOf } from '../domain/release-check.ts';
import type { DeploySpec } from '../features/listener-protocol/shape.ts';

/**
 * What a server has to get ready, unless its deployment says so: pulling a large image, and finding room for
 * it, takes minutes.
 */
export const START_SECONDS = 600;

/** What a server gets that asks for nothing. */
const CPU = 0.5;
const MEMORY_MB = 1024;

/** The port that a server must listen on, at all addresses, to be reached. */
const listening = [
  { name: 'PORT', value: '8000' },
  { name: 'HOST', value: '0.0.0.0' },
] as const;

/** What a LangGraph server reads the addresses of its stores from, and the secrets that give them. */
const stores = [
  { variable: 'DATABASE_URI', secret: 'POSTGRES_URI_CUSTOM' },
  { variable: 'REDIS_URI', secret: 'REDIS_URI_CUSTOM' },
] as const;
const otherDatabase = { variable: 'DATABASE_URL', secret: 'POSTGRES_URI_CUSTOM' } as const;

/** What is in flight at a server that is replaced gets so long, unless its deployment says otherwise. */
const GRACE_SECONDS = 180;

/** What the installation gives to all servers; `problem`: why that is not known. */
export type GivenVariables = { variables?: SharedVariables | undefined; problem?: string };

type PlanContext = {
  listener: Listener;
  given: GivenVariables;
  byTask: boolean;
  /** Another revision serves, and threads may wait in it. */
  replaces?: boolean;
};

/**
 * The installation reaches the servers that it runs by the balancer alone, and the new ones not at all.
 * Throws ComputeRefused where that forbids the release: also that of a set which is still there.
 */
function unaskedRelease(
  { on_release: onRelease, runtime }: DeploySpec,
  { compute_type: type }: Listener,
): string | undefined {
  const why = `servers on ${managedComputeKinds[type]?.name} cannot be asked by the installation`;
  const { goesOn, message } = judgeRelease(releaseRuleOf(onRelease, runtime), { kind: 'unknown', why });
  if (!goesOn) throw new ComputeRefused(message ?? why);
  return message;
}

/**
 * What a revision's servers are made of. Throws ComputeRefused for what cannot run here: before anything of
 * it is started.
 */
export function serverPlanOf(
  spec: DeploySpec,
  { listener, given, byTask, replaces = false }: PlanContext,
): ServerPlan {
  const servers = serversOf(spec, listener, given);
  const unasked = byTask && replaces ? unaskedRelease(spec, listener) : undefined;
  const { revision_id: revisionId } = spec;
  return {
    ...servers,
    environment: withFacts(servers, spec),
    revisionId,
    byTask,
    keys: { plain: keyOf(servers), fresh: keyOf(servers, revisionId) },
    graceMilliseconds: (spec.drain_seconds ?? GRACE_SECONDS) * 1000,
    hindrance: given.problem,
    remarks: [...remarksOn(given, servers), ...(unasked === undefined ? [] : [unasked])],
  };
}

/** What a set is made of: a hash of all of it is its key. */
type Servers = Omit<ServerPlan, Exclude<keyof Plan, 'min' | 'max'>>;

function serversOf(spec: DeploySpec, listener: Listener, given: GivenVariables): Servers {
  const { artifact, resource_spec: wishes } = spec;
  if (artifact.kind !== 'image')
    throw new ComputeRefused(
      `${managedComputeKinds[listener.compute_type]?.name} runs images, and this revision was built as a folder. Deploy its source again.`,
    );
  const number = (field: string): number | undefined =>
    typeof wishes[field] === 'number' ? wishes[field] : undefined;
  const min = Math.max(1, number('min_scale') ?? 1);
  return {
    image: artifact.uri,
    platform: platformsOf(listener)[0] ?? 'linux/amd64',
    ...variablesOf(spec, listener, given),
    cpu: number('cpu') ?? number('core_cpu') ?? CPU,
    memoryMb: number('memory_mb') ?? number('core_memory_mb') ?? MEMORY_MB,
    min,
    max: Math.max(min, number('max_scale') ?? min),
    labels: textsIn(wishes.labels),
    startLine: spec.start_command ? execLine(spec.start_command) : undefined,
    health: healthOf(spec),
  };
}

/**
 * A good status at the path that the deployment names, 200 at the one that agent servers have, and of any
 * other server an answer there that is no failure of its own: it need not know the path.
 */
function healthOf({ health_check: given, server }: DeploySpec): ServerPlan['health'] {
  const seconds = given?.timeout_seconds ?? START_SECONDS;
  if (given?.path !== undefined) return { path: given.path, statuses: '200-399', seconds };
  return { path: HEALTH_PATH, statuses: server === 'other' ? '200-499' : '200', seconds };
}

/** A deployment's own variables win over those that it is given, and those that it must have over both. */
function variablesOf(
  { environment, server, runtime }: DeploySpec,
  { compute_type: type }: Listener,
  { variables: common, problem }: GivenVariables,
): Pick<ServerPlan, 'environment' | 'shared'> {
  const own = new Map(environment.map(({ name, value }) => [name, value]));
  const inItem = common?.names ?? [];
  const missing = needsMissing(type, new Set([...own.keys(), ...inItem]));
  if (server === 'langgraph' && missing.stores.length > 0 && problem === undefined)
    throw new ComputeRefused(describeFailure(missing));
  // A server of somebody else may look for its database under either name.
  const more = runtime === 'command' && !own.has(otherDatabase.variable) ? [otherDatabase] : [];
  const wanted = server === 'langgraph' ? [...stores, ...more] : [];
  for (const { variable, secret } of wanted) {
    const value = own.get(secret);
    if (value !== undefined) own.set(variable, value);
  }
  for (const { name, value } of listening) own.set(name, value);
  const references = [
    ...inItem.map((name) => ({ name, key: name })),
    ...wanted
      .filter(({ secret }) => inItem.includes(secret))
      .map(({ variable: name, secret: key }) => ({ name, key })),
  ].filter(({ name }) => !own.has(name));
  const environmentOfSet = [...own].map(([name, value]) => ({ name, value }));
  if (common === undefined || references.length === 0) return { environment: environmentOfSet };
  const { arn, version } = common;
  return { environment: environmentOfSet, shared: { arn, version, variables: references } };
}

/** Servers whose environment differs in these alone are of the same content, so keys leave them out. */
function withFacts({ environment, shared }: Servers, spec: DeploySpec): Servers['environment'] {
  const own = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
  const fromItem = new Set(shared?.variables.map(({ name }) => name));
  return Object.entries({ ...serverDefaults, ...own, ...revisionVariables(spec) })
    .filter(([name]) => !fromItem.has(name))
    .map(([name, value]) => ({ name, value }));
}

const textsIn = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

/** What a person reads of variables that are none of the deployment's own. */
function remarksOn({ variables }: GivenVariables, { shared }: Servers): string[] {
  const names = shared?.variables.map(({ name }) => name) ?? [];
  const line = `The installation gives these servers ${names.join(', ')} (agentSecrets).`;
  return [names.length > 0 ? line : undefined, variables?.remark].filter((each) => each !== undefined);
}

const KEY_LENGTH = 12;

/** Two sets with the same content have one key, so that one that is there is found again. `salt` makes another. */
function keyOf(set: Servers, salt?: string): string {
  const environment = [...set.environment].sort((one, other) => one.name.localeCompare(other.name, 'en'));
  const labels = Object.entries(set.labels).sort(([one], [other]) => one.localeCompare(other, 'en'));
  const { image, platform, cpu, memoryMb, min, max, shared } = set;
  const parts = [image, platform, environment, cpu, memoryMb, min, max, labels, salt];
  // Sets that have none keep the keys that they had before there was any.
  const given = shared === undefined ? [] : [shared.version, shared.variables];
  const isUsual = set.health.statuses === '200' && set.health.seconds === START_SECONDS;
  const said = isUsual && set.startLine === undefined ? [] : [set.health, set.startLine];
  return createHash('sha256')
    .update(JSON.stringify([...parts, ...given, ...said]))
    .digest('hex')
    .slice(0, KEY_LENGTH);
}
