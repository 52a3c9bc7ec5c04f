import { isOnDockerHub } from '../contract/images/docker-hub.ts';
import { causeIn, causeLine } from './exception-chain.ts';

/** Why an agent's servers do not come up on compute that runs containers. */
export type AgentFailure = FinalFailure | PassingFailure | LateFailure;

type FinalFailure =
  | { kind: 'image_missing'; image: string }
  | { kind: 'image_platform'; image: string; found: string; wanted: string }
  /** `pullSecrets`: undefined where there can be none. `setting`: the one whose account was refused. */
  | { kind: 'registry_access'; image: string; pullSecrets: string[] | undefined; setting?: string }
  /** What a server is started with lies in items that nobody could read. `said`: in the compute's words. */
  | { kind: 'secrets_unreadable'; said: string }
  /** `limitField`: the field of `resource_spec` that sets the limit. */
  | { kind: 'out_of_memory'; limitField: string; limitMb: number }
  | { kind: 'exited'; exitCode: number; times: number; output: string[] }
  | { kind: 'no_way_out'; subnet: string }
  | NeedsMissing
  /** `said`: the cluster's own words about the pod that it does not make. */
  | { kind: 'refused'; by: 'pod_security' | 'limit' | 'policy'; said: string }
  | { kind: 'service_account_missing'; name: string }
  /** `variable`: what the secret's value was to be called in the server's environment. */
  | { kind: 'secret_missing'; variable: string; secret: string; secretKey: string };

/** What a LangGraph server cannot do without: its stores, as the secrets that name them, and a licence. */
export type NeedsMissing = { kind: 'needs_missing'; stores: string[]; licence: boolean };

/** May pass while one waits: machines are added, what drains gives room, a slow server gets ready. */
type PassingFailure =
  /** `said`: the scheduler's own words. */
  | { kind: 'no_capacity'; cpu: number; memoryMb: number; said: string }
  | { kind: 'quota'; quota: string; said: string }
  /** A registry counts the images that it hands out. `pullSecrets` and `setting`: as with `registry_access`. */
  | { kind: 'pull_limit'; image: string; said: string; pullSecrets: string[] | undefined; setting?: string }
  /** What decides about pods does not answer, or says something that is no decision. */
  | { kind: 'refused_for_now'; said: string }
  /** A store of ours, which the servers need, serves nobody. `said`: why; undefined: it is just being started. */
  | { kind: 'store_down'; store: 'Postgres' | 'Redis'; said: string | undefined }
  /** `path`: where it is asked whether it is ready; undefined: it need only listen. */
  | { kind: 'ok_status'; status: number; path: string }
  | { kind: 'ok_silent'; port: number; path: string | undefined };

type LateFailure = {
  kind: 'deadline';
  timeoutSeconds: number;
  ready: number;
  wanted: number;
  /** What they were waiting for, where that is known. */
  cause: PassingFailure | undefined;
};

/** Stands between the reason of a failure and the output that it quotes, a line each. */
export const OUTPUT_FOLLOWS = ' Its last lines of output:';

/** Together they fit into a status message. */
const OUTPUT_LINES_MAX = 30;
const OUTPUT_LINE_CHARACTERS_MAX = 200;

const PASSING: Record<PassingFailure['kind'], true> = {
  no_capacity: true,
  quota: true,
  refused_for_now: true,
  store_down: true,
  pull_limit: true,
  ok_status: true,
  ok_silent: true,
};

/** It is said while one waits, and is the reason only once the time is over. */
export const mayPass = (failure: AgentFailure): failure is PassingFailure => failure.kind in PASSING;

/** What a person reads: what is wrong, and what to do about it. */
export function describeFailure(failure: AgentFailure): string {
  switch (failure.kind) {
    case 'image_missing':
      return `The image '${failure.image}' is not in its registry. Push it, or correct image_uri, and deploy again.`;
    case 'image_platform':
      return `The image '${failure.image}' is made for ${failure.found}, and it would run on ${failure.wanted}. Build it for ${failure.wanted} and deploy again.`;
    case 'registry_access':
      return registryAccess(failure);
    case 'out_of_memory':
      return `The server needed more than its limit of ${failure.limitMb} MB of memory and was ended. Raise ${failure.limitField} in resource_spec, or let it use less.`;
    case 'exited':
      return exited(failure);
    case 'no_way_out':
      return `From '${failure.subnet}' the registry of the image, or the store of its secrets, does not answer. Redeploy in a while. If it stays so, the subnet has no way out to the internet: whoever runs this installation gives it public addresses or a NAT gateway (agentNetwork).`;
    case 'needs_missing':
      return needsMissing(failure);
    case 'secrets_unreadable':
      return `Fargate cannot read the secrets that the server is started with (${inLine(failure.said)}). Redeploy in a while. If it stays so, whoever runs this installation looks whether its start role may read the items that agentSecrets and dockerHubSecret name, and whether they have what they are to have.`;
    case 'secret_missing':
      return `The variable ${failure.variable} has no value: where the agent runs there is no secret '${failure.secret}' with the key '${failure.secretKey}'. Create it, or correct secret_references.`;
    case 'no_capacity':
      return `No machine has room for a server with ${failure.cpu} CPU and ${failure.memoryMb} MB of memory (${inLine(failure.said)}). Ask for less in resource_spec, or add machines.`;
    case 'quota':
      return `The quota '${failure.quota}' is used up (${inLine(failure.said)}). Ask for less in resource_spec, or have the quota raised.`;
    case 'store_down':
      return `The servers wait for the ${failure.store} that is brought for them: ${failure.said === undefined ? 'it is being started' : inLine(failure.said)}. It is tried again. Or give the address of your own as the secret ${failure.store.toUpperCase()}_URI_CUSTOM.`;
    case 'pull_limit':
      return pullLimit(failure);
    case 'refused':
      return `${REFUSERS[failure.by]} (${inLine(failure.said)}). ${WAYS_OUT[failure.by]}`;
    case 'service_account_missing':
      return `There is no ServiceAccount '${failure.name}' in the namespace of the agent. Create it, or correct resource_spec.service_account_name.`;
    case 'refused_for_now':
      return `The cluster makes no server at the moment (${inLine(failure.said)}). It is tried again; whoever runs the cluster can see why.`;
    case 'ok_status':
      return wrongStatus(failure);
    case 'ok_silent':
      return `Nothing ${failure.path === undefined ? 'listens' : `answers GET ${failure.path}`} on port ${failure.port}. Let the server listen on 0.0.0.0, at the port that the variable PORT names.`;
    case 'deadline':
      return late(failure);
  }
}

/** Where agent servers say that they are ready, unless a deployment names another path. */
export const HEALTH_PATH = '/ok';

function wrongStatus({ status, path }: Extract<AgentFailure, { kind: 'ok_status' }>): string {
  const [what, there] =
    path === HEALTH_PATH ? ['200', 'there'] : ['a status from 200 to 399', 'at the path of its health_check'];
  return `GET ${path} answers ${status} instead of ${what}. The server must answer ${what} ${there} once it is ready; its deploy log may say why it does not.`;
}

const REFUSERS = {
  pod_security: "The Pod Security level of the agent's namespace refuses its servers",
  limit: "A limit of the agent's namespace refuses its servers",
  policy: 'A policy of the cluster refuses its servers',
} as const;

const WAYS_OUT = {
  pod_security:
    "Change what it names in resource_spec, or have the namespace's label pod-security.kubernetes.io/enforce changed.",
  limit: 'Change what it names in resource_spec, or have the limit changed.',
  policy: 'Change what it names, or have the policy changed.',
} as const;

/** The secrets that name the stores of a LangGraph server. */
export const STORE_SECRETS = ['POSTGRES_URI_CUSTOM', 'REDIS_URI_CUSTOM'] as const;
/** The secrets by which a server proves to LangChain that it may run; one of them is enough. */
export const LICENCE_VARIABLES = ['LANGGRAPH_CLOUD_LICENSE_KEY', 'LANGSMITH_API_KEY'] as const;

const [LICENCE, API_KEY] = LICENCE_VARIABLES;
const INSTEAD = `${API_KEY} instead, where LangChain lets your account run it with that`;
const OTHER_SERVER =
  'use a Dockerfile or an image with another server, or deploy to a listener of the type process';

function needsMissing({ stores, licence }: NeedsMissing): string {
  const needsStores = 'keeps threads in Postgres and runs in Redis, of which none is brought here';
  const alsoLicence = licence ? "; LangChain's own also ends at once without a licence" : '';
  const what =
    stores.length > 0
      ? `This is a LangGraph server, which ${needsStores}${alsoLicence}`
      : "This is LangChain's agent server, which ends at once without a licence";
  const secrets = [...stores, ...(licence ? [LICENCE] : [])];
  const [as, them] = secrets.length === 1 ? ['the secret', 'it'] : ['the secrets', 'them'];
  const instead = licence ? ` (${INSTEAD})` : '';
  return `${what}. Give ${as} ${listOf(secrets)}${instead} and deploy again. Without ${them}, ${OTHER_SERVER}.`;
}

/** `a, b and c`. */
function listOf(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ');
}

function pullLimit({
  image,
  said,
  pullSecrets,
  setting,
}: Extract<AgentFailure, { kind: 'pull_limit' }>): string {
  const limit = `The registry of the image '${image}' hands out no more for now (${inLine(said)}).`;
  const copy =
    "Wait some hours, or copy it to a registry without such a limit: this installation's, for example";
  if (setting !== undefined)
    return `${limit} ${copy}. Whoever runs this installation may raise the limit of the account in ${setting}.`;
  if (pullSecrets === undefined)
    return isOnDockerHub(image)
      ? `${limit} ${copy}. Whoever runs this installation may give it an account at Docker Hub (dockerHubSecret).`
      : `${limit} ${copy}.`;
  const named = pullSecrets.length === 0 ? 'Name' : 'Check, or name,';
  return `${limit} ${copy}. ${named} a pull secret of an account with a higher limit in resource_spec.image_pull_secrets.`;
}

function registryAccess({
  image,
  pullSecrets,
  setting,
}: Extract<AgentFailure, { kind: 'registry_access' }>): string {
  const refuses = `The registry does not hand out the image '${image}'`;
  if (setting !== undefined)
    return `${refuses} to the account in ${setting}. Whoever runs this installation looks whether that is right and may read it; or push it to this installation's registry (source 'internal_docker').`;
  if (pullSecrets === undefined)
    return `${refuses}, and there are no pull secrets here. Push it to this installation's registry (source 'internal_docker'), or let anybody pull it.`;
  if (pullSecrets.length === 0)
    return `${refuses} without credentials. Name a pull secret for it in resource_spec.image_pull_secrets.`;
  const names = pullSecrets.map((name) => `'${name}'`).join(', ');
  return `${refuses} to the credentials of image_pull_secrets (${names}). Check that each exists beside the agent and is valid for this registry.`;
}

/** What a server says when it ends for want of something, and what that means. */
const ENDS: readonly [said: RegExp, means: string][] = [
  [
    /License verification failed|License key is not valid/i,
    `LangChain's agent server could not verify a licence. Give a valid one as the secret ${LICENCE} (${INSTEAD}), let the server reach beacon.langchain.com and api.smith.langchain.com, and deploy again. Without one, ${OTHER_SERVER}.`,
  ],
  [
    /Config '(?:REDIS|DATABASE)_URI' is missing/,
    `LangChain's agent server found no Postgres or no Redis. Give their addresses as the secrets ${listOf(STORE_SECRETS)}, and in resource_spec a queue_ field such as queue_cpu, by which an image says that it is such a server; then deploy again. Without them, ${OTHER_SERVER}.`,
  ],
];

function exited({ exitCode, times, output }: Extract<AgentFailure, { kind: 'exited' }>): string {
  const how = times > 1 ? `exits in a loop: ${times} times so far, last` : 'exited';
  const what = `The server ${how} with code ${exitCode}`;
  if (output.length === 0) return `${what}, and wrote nothing. Run its image by hand to see why.`;
  const [, means] = ENDS.find(([said]) => output.some((line) => said.test(line))) ?? [];
  // Half a character at the cut would make the whole report one that is refused.
  const cause = causeIn(output);
  const last = cause === undefined ? [] : [causeLine(cause)];
  const lines = [...output.slice(-OUTPUT_LINES_MAX), ...last].map((line) =>
    line.slice(0, OUTPUT_LINE_CHARACTERS_MAX).toWellFormed(),
  );
  const why = means === undefined ? '. Correct the cause and deploy again.' : `: ${means}`;
  return `${what}${why}${OUTPUT_FOLLOWS}\n${lines.join('\n')}`;
}

function late({ timeoutSeconds, ready, wanted, cause }: LateFailure): string {
  const why = cause === undefined ? 'Its deploy log may say what it waits for.' : describeFailure(cause);
  return `Not ready after ${timeoutSeconds} s, with ${ready} of ${wanted} servers up. ${why}`;
}

/** A reason is one line. */
const inLine = (said: string): string => said.trim().replaceAll(/\s+/g, ' ');
