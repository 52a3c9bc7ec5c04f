import { resolve } from 'node:path';
import * as z from 'zod';
import type { OidcSettings } from '../adapters/identity-provider.ts';
import type { SignIn } from '../adapters/sign-in.ts';
import { BUILD_QUEUE_SECONDS, limitDefaults, type TenantLimits } from '../contract/limits.ts';
import type { PrintedLevel } from '../listener/log.ts';
import { hostNameOf } from '../serving/hosts.ts';
import type { Faults } from './faults.ts';
import {
  corsOrigins,
  DAY_SECONDS,
  faults,
  hosts,
  limit,
  logLevel,
  number,
  port,
  publicHosts,
  seconds,
  trimmed,
  yesOrNo,
} from './variables.ts';

/** The environment is wrong; the message says which variable and what it may be. */
export class EnvironmentError extends Error {}

/** Every variable that the embedded runtime reads, in one place. */
const schema = z.object({
  /** The API, on 127.0.0.1. 0: a free port. */
  PORT: number({ ...port, fallback: 4400 }),
  /** Agent servers, on 127.0.0.1. Default: PORT + 1; with PORT=0 a free port, kept for the next run. */
  SLIPWAY_AGENTS_PORT: number(port),
  /** Everything that is kept. */
  SLIPWAY_DATA_DIR: z.string().optional(),
  SLIPWAY_LOG_LEVEL: logLevel,
  /** Between two looks for what nothing else will wake: oftener than on AWS, where a look costs money. */
  SLIPWAY_SWEEP_SECONDS: seconds(15),
  /** Between two looks at the heads of branches whose pushes are built, for what no delivery told. */
  SLIPWAY_HEADS_SECONDS: seconds(300),
  /**
   * A push waits so long for what its commit says and which paths it touches. Hosts of repositories wait some
   * ten seconds for an answer to their deliveries.
   */
  SLIPWAY_LOOK_SECONDS: seconds(6),
  /** A DEPLOY task that nobody claims fails its revision after so long. */
  SLIPWAY_UNCLAIMED_SECONDS: seconds(900),
  /** A listener silent for so long after a claim fails its revision. */
  SLIPWAY_SILENT_SECONDS: seconds(900),
  /** A server must answer GET /ok within so long. */
  SLIPWAY_START_TIMEOUT_SECONDS: seconds(300),
  /** A build may take so long once it runs, and wait so long until it does. */
  SLIPWAY_BUILD_SECONDS: seconds(1800),
  SLIPWAY_BUILD_QUEUE_SECONDS: seconds(BUILD_QUEUE_SECONDS),
  /** What a replaced server has to finish its requests. */
  SLIPWAY_DRAIN_SECONDS: number({ fallback: 30, min: 0, max: DAY_SECONDS, whole: false }),
  /** The OpenID Connect issuer of bearer tokens, and whom they must be for. */
  SLIPWAY_OIDC_ISSUER: trimmed,
  SLIPWAY_OIDC_AUDIENCE: trimmed,
  /** The console's client there, and the token endpoint where it is not on the issuer's host. */
  SLIPWAY_OIDC_CLIENT_ID: trimmed,
  SLIPWAY_OIDC_TOKEN_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .or(z.literal('')),
  /**
   * Hosts on private networks that requests may name, separated by commas; this machine itself may always be
   * named.
   */
  SLIPWAY_ALLOWED_HOSTS: hosts,
  /** So many of the newest artifacts of a deployment are kept, beside those that are in use. */
  SLIPWAY_KEPT_ARTIFACTS: number({ fallback: 5, min: 1, max: 1000, whole: true }),
  /** Audit events are kept for so long. */
  SLIPWAY_AUDIT_DAYS: number({ fallback: 400, min: 1, max: 36_500, whole: true }),
  /** Keys that are made in the console or with a bearer token are good for so long at most. */
  SLIPWAY_KEY_DAYS: number({ fallback: 90, min: 1, max: 36_500, whole: true }),
  /** How much a tenant may have. */
  SLIPWAY_DEPLOYMENTS_MAX: limit('deployments'),
  SLIPWAY_LISTENERS_MAX: limit('listeners'),
  SLIPWAY_WEBHOOKS_MAX: limit('webhooks'),
  SLIPWAY_INTEGRATIONS_MAX: limit('integrations'),
  SLIPWAY_KEYS_MAX: limit('keys'),
  SLIPWAY_WAITING_REVISIONS_MAX: limit('waitingRevisions'),
  /** Another tenant may be made, though builds and agents of all run as one user. */
  SLIPWAY_MORE_TENANTS: yesOrNo,
  /** Pages of other origins that may call the API. */
  SLIPWAY_CORS_ORIGINS: corsOrigins,
  /** The address that clients reach the API at, when that is another than its own. */
  SLIPWAY_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .or(z.literal('')),
  /** Names of this machine, beside loopback ones, that requests on both ports may come for. */
  SLIPWAY_PUBLIC_HOSTS: publicHosts,
  /** A proxy in front of the agents' port says where requests came from. */
  SLIPWAY_TRUST_PROXY: yesOrNo,
  /** For testing: what goes wrong on purpose. */
  SLIPWAY_FAULTS: faults,
});

export type RuntimeSettings = {
  port: number;
  /** Undefined: one that the run chooses. */
  agentsPort: number | undefined;
  /** Absolute. */
  dataFolder: string;
  logLevel: PrintedLevel;
  sweepSeconds: number;
  headsSeconds: number;
  lookSeconds: number;
  unclaimedSeconds: number;
  silentSeconds: number;
  startTimeoutSeconds: number;
  buildSeconds: number;
  buildQueueSeconds: number;
  drainSeconds: number;
  /** Undefined: requests carry API keys only. */
  oidc: OidcSettings | undefined;
  /** Undefined: people sign in to the console with keys alone. */
  signIn: SignIn;
  allowedHosts: string[];
  keptArtifacts: number;
  auditDays: number;
  keyDays: number;
  limits: TenantLimits;
  /** Tenants beyond the first may be made. */
  moreTenants: boolean;
  corsOrigins: string[];
  /** Hosts that requests may name beside loopback ones, as `hostNameOf` spells them. */
  publicHosts: string[];
  /** What clients of agents say of where they come from counts. */
  trustProxy: boolean;
  /** Undefined: nothing goes wrong on purpose. */
  faults: Faults | undefined;
};

/** Reads the environment. Throws EnvironmentError that names every wrong variable. */
export function readEnvironment(environment: NodeJS.ProcessEnv): RuntimeSettings {
  const parsed = schema.safeParse(environment);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
    throw new EnvironmentError(problems.join('\n'));
  }
  const { data } = parsed;
  const apiPort = data.PORT ?? 0;
  return {
    port: apiPort,
    agentsPort: agentsPortOf(apiPort, data.SLIPWAY_AGENTS_PORT),
    dataFolder: resolve(data.SLIPWAY_DATA_DIR || '.slipway'),
    logLevel: data.SLIPWAY_LOG_LEVEL,
    sweepSeconds: data.SLIPWAY_SWEEP_SECONDS ?? 0,
    headsSeconds: data.SLIPWAY_HEADS_SECONDS ?? 0,
    lookSeconds: data.SLIPWAY_LOOK_SECONDS ?? 0,
    unclaimedSeconds: data.SLIPWAY_UNCLAIMED_SECONDS ?? 0,
    silentSeconds: data.SLIPWAY_SILENT_SECONDS ?? 0,
    startTimeoutSeconds: data.SLIPWAY_START_TIMEOUT_SECONDS ?? 0,
    buildSeconds: data.SLIPWAY_BUILD_SECONDS ?? 0,
    buildQueueSeconds: data.SLIPWAY_BUILD_QUEUE_SECONDS ?? 0,
    drainSeconds: data.SLIPWAY_DRAIN_SECONDS ?? 0,
    oidc: oidcOf(data.SLIPWAY_OIDC_ISSUER, data.SLIPWAY_OIDC_AUDIENCE),
    signIn: signInOf(data),
    allowedHosts: data.SLIPWAY_ALLOWED_HOSTS,
    keptArtifacts: data.SLIPWAY_KEPT_ARTIFACTS ?? 0,
    auditDays: data.SLIPWAY_AUDIT_DAYS ?? 0,
    keyDays: data.SLIPWAY_KEY_DAYS ?? 0,
    limits: limitsOf(data),
    moreTenants: data.SLIPWAY_MORE_TENANTS,
    corsOrigins: data.SLIPWAY_CORS_ORIGINS,
    publicHosts: [...data.SLIPWAY_PUBLIC_HOSTS, ...hostOf(data.SLIPWAY_BASE_URL)],
    trustProxy: data.SLIPWAY_TRUST_PROXY,
    faults: data.SLIPWAY_FAULTS,
  };
}

const limitsOf = (data: z.output<typeof schema>): TenantLimits => ({
  deployments: data.SLIPWAY_DEPLOYMENTS_MAX ?? limitDefaults.deployments,
  listeners: data.SLIPWAY_LISTENERS_MAX ?? limitDefaults.listeners,
  webhooks: data.SLIPWAY_WEBHOOKS_MAX ?? limitDefaults.webhooks,
  integrations: data.SLIPWAY_INTEGRATIONS_MAX ?? limitDefaults.integrations,
  keys: data.SLIPWAY_KEYS_MAX ?? limitDefaults.keys,
  waitingRevisions: data.SLIPWAY_WAITING_REVISIONS_MAX ?? limitDefaults.waitingRevisions,
});

/** The host of the address that clients use is one of the machine's names. */
function hostOf(address: string | undefined): string[] {
  const host = URL.parse(address ?? '')?.host;
  return host === undefined ? [] : [hostNameOf(host) ?? []].flat();
}

/** Keys of an issuer come over TLS, or from this very machine. */
const ISSUER = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/;

function oidcOf(issuer: string | undefined, audience: string | undefined): OidcSettings | undefined {
  if (issuer === undefined && audience === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw new EnvironmentError('SLIPWAY_OIDC_ISSUER and SLIPWAY_OIDC_AUDIENCE go together.');
  if (ISSUER.test(issuer) && URL.canParse(issuer)) return { issuer, audience };
  throw new EnvironmentError(
    `SLIPWAY_OIDC_ISSUER must be an https URL, or an http one of this machine, not '${issuer}'.`,
  );
}

function signInOf(given: z.output<typeof schema>): SignIn {
  const { SLIPWAY_OIDC_ISSUER: issuer, SLIPWAY_OIDC_CLIENT_ID: clientId } = given;
  const audience = given.SLIPWAY_OIDC_AUDIENCE;
  if (clientId === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw new EnvironmentError('SLIPWAY_OIDC_CLIENT_ID goes with SLIPWAY_OIDC_ISSUER.');
  return { issuer, clientId, audience, tokenEndpoint: given.SLIPWAY_OIDC_TOKEN_ENDPOINT || undefined };
}

function agentsPortOf(apiPort: number, asked: number | undefined): number | undefined {
  if (asked !== undefined) return asked === 0 ? undefined : asked;
  return apiPort === 0 || apiPort === port.max ? undefined : apiPort + 1;
}
