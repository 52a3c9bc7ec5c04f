import { parseArgs } from 'node:util';
import { hostNameOf, hostsWanted, readHosts } from '../serving/hosts.ts';
import { isLogLevel, type LogLevel } from './log.ts';

export type ListenerOptions = {
  url: string;
  listenerId: string;
  apiKey: string;
  dataFolder: string;
  agentsPort: number;
  agentsUrl: string | undefined;
  pathPrefix: string;
  /** Hosts that requests for agents may name beside loopback ones, as `hostNameOf` spells them. */
  publicHosts: string[];
  /** A proxy in front of the agents' port says where requests came from. */
  trustProxy: boolean;
  startTimeoutSeconds: number;
  drainSeconds: number;
  logLevel: LogLevel;
  /** End when standard input ends: whoever holds its other end is gone. */
  parentPipe: boolean;
};

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

The API key is read from SLIPWAY_API_KEY: arguments can be seen by everybody on the machine.`;

const argumentNames = {
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
  const logLevel = given['log-level'] ?? environment.SLIPWAY_LOG_LEVEL?.toLowerCase() ?? 'info';
  if (!isLogLevel(logLevel)) throw new OptionsError(`--log-level '${logLevel}' is not known.`);
  const agentsUrl = given['agents-url'] ?? environment.SLIPWAY_AGENTS_URL;
  const publicHosts = given['public-hosts'] ?? environment.SLIPWAY_PUBLIC_HOSTS ?? '';
  const startTimeout = given['start-timeout-seconds'] ?? environment.SLIPWAY_START_TIMEOUT_SECONDS ?? '300';
  const drain = given['drain-seconds'] ?? environment.SLIPWAY_DRAIN_SECONDS ?? '30';
  return {
    url: urlOf(required(given.url ?? environment.SLIPWAY_URL, '--url', 'SLIPWAY_URL'), '--url'),
    listenerId: required(
      given['listener-id'] ?? environment.SLIPWAY_LISTENER_ID,
      '--listener-id',
      'SLIPWAY_LISTENER_ID',
    ),
    apiKey: required(environment.SLIPWAY_API_KEY, 'An API key', 'SLIPWAY_API_KEY'),
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
    startTimeoutSeconds: numberOf(startTimeout, '--start-timeout-seconds', 86_400),
    drainSeconds: numberOf(drain, '--drain-seconds', 86_400),
    logLevel,
    parentPipe: given['parent-pipe'],
  };
}
