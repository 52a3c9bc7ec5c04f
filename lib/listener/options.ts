import { parseArgs } from 'node:util';
import { machinePattern } from '../contract/images/platforms.ts';
import { hostNameOf, hostsWanted, readHosts } from '../serving/hosts.ts';
import { isLogLevel, type PrintedLevel } from './log.ts';
import { DEFAULT_STORE_IMAGES } from './store-images.ts';

type CommonOptions = {
  url: string;
  listenerId: string;
  apiKey: string;
  startTimeoutSeconds: number;
  logLevel: PrintedLevel;
  /** End when standard input ends: whoever holds its other end is gone. */
  parentPipe: boolean;
};

/** Agents run as processes of this machine. */
export type ProcessListenerOptions = CommonOptions & {
  driver: 'process';
  dataFolder: string;
  agentsPort: number;
  agentsUrl: string | undefined;
  pathPrefix: string;
  /** Hosts that requests for agents may name beside loopback ones, as `hostNameOf` spells them. */
  publicHosts: string[];
  /** A proxy in front of the agents' port says where requests came from. */
  trustProxy: boolean;
  drainSeconds: number;
};

/** Agents run in a Kubernetes cluster. */
export type KubernetesListenerOptions = CommonOptions & {
  driver: 'kubernetes';
  /** How the cluster is reached: undefined is as kubectl does it, or as a pod does. */
  kubeconfig: string | undefined;
  /** Where agents may run; the first is the default. */
  namespaces: readonly [string, ...string[]];
  /** Where the listeners agree on who of them works. */
  leaseNamespace: string;
  /** What images are built for; undefined: what this program runs on. */
  platform: string | undefined;
  /** Written while the program goes on, for a probe that looks at its age; undefined: there is none. */
  heartbeatFile: string | undefined;
  /** The images of the Postgres and the Redis that deployments get, and the Secrets to pull them with. */
  storeImages: { postgres: string; redis: string };
  storePullSecrets: readonly string[];
  /** Pods get their users from the cluster. */
  openshift: boolean;
};

export type ListenerOptions = ProcessListenerOptions | KubernetesListenerOptions;

/** The options are wrong; the message says which one and how it is given. */
export class OptionsError extends Error {}

export const USAGE = `Usage: listener [options]

  --url URL                     control plane                (SLIPWAY_URL)
  --listener-id ID              which listener this is       (SLIPWAY_LISTENER_ID)
  --data-dir FOLDER             its own files                (SLIPWAY_LISTENER_DATA_DIR)
  --agents-port PORT            agents are served here       (SLIPWAY_AGENTS_PORT, default 4401)
  --agents-url URL              their public address         (SLIPWAY_AGENTS_URL, default http://localhost:PORT)
  --path-prefix PATH            /d: agents at /d/<name>/     (SLIPWAY_PATH_PREFIX)
  --public-hosts HOSTS          other names of theirs        (SLIPWAY_PUBLIC_HOSTS, separated by commas)
  --trust-proxy                 a proxy is in front of them  (SLIPWAY_TRUST_PROXY=true)
  --start-timeout-seconds N     time to answer GET /ok       (SLIPWAY_START_TIMEOUT_SECONDS, default 300)
  --drain-seconds N             time to finish requests      (SLIPWAY_DRAIN_SECONDS, default 30)
  --log-level LEVEL             debug, info, warn, error     (SLIPWAY_LOG_LEVEL, default info)
  --parent-pipe                 end when standard input ends

Instead of processes on this machine (--data-dir, --agents-*, --path-prefix, --public-hosts, --trust-proxy and
--drain-seconds are for those), agents may run in a Kubernetes cluster:

  --driver kubernetes           process is the default       (SLIPWAY_DRIVER)
  --namespaces NAMES            where; the first by default  (SLIPWAY_NAMESPACES, separated by commas)
  --kubeconfig FILE             how the cluster is reached   (default: as kubectl and pods do)
  --lease-namespace NAME        where listeners agree on who works (SLIPWAY_LEASE_NAMESPACE, default: the first)
  --platform PLATFORM           what images are built for    (SLIPWAY_PLATFORM, default: this machine's, linux/amd64 say)
  --heartbeat-file FILE         written while it goes on     (SLIPWAY_HEARTBEAT_FILE)
  --postgres-image IMAGE        of deployments without one   (SLIPWAY_POSTGRES_IMAGE, default: by digest)
  --redis-image IMAGE           the same                     (SLIPWAY_REDIS_IMAGE, default: by digest)
  --store-pull-secrets NAMES    Secrets to pull both with    (SLIPWAY_STORE_PULL_SECRETS, separated by commas)
  --openshift                   the cluster gives pods their users (SLIPWAY_OPENSHIFT=true)

The API key is read from SLIPWAY_API_KEY: arguments can be seen by everybody on the machine.`;

const argumentNames = {
  driver: { type: 'string' },
  namespaces: { type: 'string' },
  kubeconfig: { type: 'string' },
  'lease-namespace': { type: 'string' },
  platform: { type: 'string' },
  'heartbeat-file': { type: 'string' },
  'postgres-image': { type: 'string' },
  'redis-image': { type: 'string' },
  'store-pull-secrets': { type: 'string' },
  openshift: { type: 'boolean' },
  url: { type: 'string' },
  'listener-id': { type: 'string' },
  'data-dir': { type: 'string' },
  'agents-port': { type: 'string' },
  'agents-url': { type: 'string' },
  'path-prefix': { type: 'string' },
  'public-hosts': { type: 'string' },
  'trust-proxy': { type: 'boolean' },
  'start-timeout-seconds': { type: 'string' },
  'drain-seconds': { type: 'string' },
  'log-level': { type: 'string' },
  'parent-pipe': { type: 'boolean', default: false },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: argumentNames, strict: true }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function required(value: string | undefined, argument: string, variable: string): string {
  if (value !== undefined && value !== '') return value;
  throw new OptionsError(`${argument} (or ${variable}) is required.`);
}

function numberOf(text: string, argument: string, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0 && value <= max) return value;
  throw new OptionsError(`${argument} must be a number from 0 to ${max}, not '${text}'.`);
}

function urlOf(text: string, argument: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new OptionsError(`${argument} must be an http(s) URL, not '${text}'.`);
  return text.replace(/\/+$/, '');
}

function prefixOf(text: string): string {
  const prefix = text.replace(/\/+$/, '');
  if (/^(\/[A-Za-z0-9._~-]+)+$/.test(prefix)) return prefix;
  throw new OptionsError(`--path-prefix must look like /d, not '${text}'.`);
}

/** The public address of the agents is one of their names. */
function publicHostsOf(text: string, agentsUrl: string | undefined): string[] {
  const { hosts, wrong } = readHosts(text);
  const [first] = wrong;
  if (first !== undefined) throw new OptionsError(`--public-hosts must be ${hostsWanted(first)}.`);
  const ofAddress = agentsUrl === undefined ? undefined : hostNameOf(new URL(agentsUrl).host);
  return ofAddress === undefined ? hosts : [...hosts, ofAddress];
}

function yesOrNo(text: string, variable: string): boolean {
  if (/^(true|false)?$/i.test(text)) return text.toLowerCase() === 'true';
  throw new OptionsError(`${variable} must be true or false, not '${text}'.`);
}

/** Reads the options from arguments and environment, arguments first. Throws `OptionsError`. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): ListenerOptions {
  const given = parse(args);
  const driver = given.driver ?? environment.SLIPWAY_DRIVER ?? 'process';
  const common = commonOptions(given, environment);
  if (driver === 'process') return { ...common, ...processOptions(given, environment) };
  if (driver === 'kubernetes') return { ...common, ...kubernetesOptions(given, environment) };
  throw new OptionsError(`--driver must be process or kubernetes, not '${driver}'.`);
}

type Given = ReturnType<typeof parse>;

function commonOptions(given: Given, environment: NodeJS.ProcessEnv): CommonOptions {
  const logLevel = given['log-level'] ?? environment.SLIPWAY_LOG_LEVEL?.toLowerCase() ?? 'info';
  if (!isLogLevel(logLevel)) throw new OptionsError(`--log-level '${logLevel}' is not known.`);
  const startTimeout = given['start-timeout-seconds'] ?? environment.SLIPWAY_START_TIMEOUT_SECONDS ?? '300';
  return {
    url: urlOf(required(given.url ?? environment.SLIPWAY_URL, '--url', 'SLIPWAY_URL'), '--url'),
    listenerId: required(
      given['listener-id'] ?? environment.SLIPWAY_LISTENER_ID,
      '--listener-id',
      'SLIPWAY_LISTENER_ID',
    ),
    apiKey: required(environment.SLIPWAY_API_KEY, 'An API key', 'SLIPWAY_API_KEY'),
    startTimeoutSeconds: numberOf(startTimeout, '--start-timeout-seconds', 86_400),
    logLevel,
    parentPipe: given['parent-pipe'],
  };
}

function processOptions(
  given: Given,
  environment: NodeJS.ProcessEnv,
): Omit<ProcessListenerOptions, keyof CommonOptions> {
  const agentsUrl = given['agents-url'] ?? environment.SLIPWAY_AGENTS_URL;
  const publicHosts = given['public-hosts'] ?? environment.SLIPWAY_PUBLIC_HOSTS ?? '';
  const drain = given['drain-seconds'] ?? environment.SLIPWAY_DRAIN_SECONDS ?? '30';
  return {
    driver: 'process',
    dataFolder: required(
      given['data-dir'] ?? environment.SLIPWAY_LISTENER_DATA_DIR,
      '--data-dir',
      'SLIPWAY_LISTENER_DATA_DIR',
    ),
    agentsPort: numberOf(
      given['agents-port'] ?? environment.SLIPWAY_AGENTS_PORT ?? '4401',
      '--agents-port',
      65_535,
    ),
    agentsUrl: agentsUrl === undefined ? undefined : urlOf(agentsUrl, '--agents-url'),
    pathPrefix: prefixOf(given['path-prefix'] ?? environment.SLIPWAY_PATH_PREFIX ?? '/d'),
    publicHosts: publicHostsOf(publicHosts, agentsUrl),
    trustProxy: given['trust-proxy'] ?? yesOrNo(environment.SLIPWAY_TRUST_PROXY ?? '', 'SLIPWAY_TRUST_PROXY'),
    drainSeconds: numberOf(drain, '--drain-seconds', 86_400),
  };
}

function kubernetesOptions(
  given: Given,
  environment: NodeJS.ProcessEnv,
): Omit<KubernetesListenerOptions, keyof CommonOptions> {
  const [first, ...more] = namespacesOf(given.namespaces ?? environment.SLIPWAY_NAMESPACES ?? '');
  const platform = given.platform ?? environment.SLIPWAY_PLATFORM;
  if (platform !== undefined && !machinePattern.test(platform))
    throw new OptionsError(`--platform must look like linux/amd64, not '${platform}'.`);
  return {
    driver: 'kubernetes',
    kubeconfig: given.kubeconfig,
    namespaces: [first, ...more],
    leaseNamespace: given['lease-namespace'] ?? environment.SLIPWAY_LEASE_NAMESPACE ?? first,
    platform,
    heartbeatFile: given['heartbeat-file'] ?? environment.SLIPWAY_HEARTBEAT_FILE,
    ...storeOptions(given, environment),
    openshift: given.openshift ?? yesOrNo(environment.SLIPWAY_OPENSHIFT ?? '', 'SLIPWAY_OPENSHIFT'),
  };
}

function storeOptions(
  given: Given,
  environment: NodeJS.ProcessEnv,
): Pick<KubernetesListenerOptions, 'storeImages' | 'storePullSecrets'> {
  const secrets = given['store-pull-secrets'] ?? environment.SLIPWAY_STORE_PULL_SECRETS ?? '';
  return {
    storeImages: {
      postgres:
        given['postgres-image'] || environment.SLIPWAY_POSTGRES_IMAGE || DEFAULT_STORE_IMAGES.postgres,
      redis: given['redis-image'] || environment.SLIPWAY_REDIS_IMAGE || DEFAULT_STORE_IMAGES.redis,
    },
    storePullSecrets: secrets
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  };
}

function namespacesOf(text: string): [string, ...string[]] {
  const [first, ...more] = text.split(',').map((name) => name.trim());
  if (first === undefined || first === '')
    throw new OptionsError('--namespaces (or SLIPWAY_NAMESPACES) is required with --driver kubernetes.');
  const wrong = [first, ...more].find((name) => !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
  if (wrong === undefined) return [first, ...more];
  throw new OptionsError(
    `--namespaces must be names of namespaces, separated by commas; '${wrong}' is none.`,
  );
}
