import * as z from 'zod';
import { isOrigin, listed } from '../contract/browser/cors.ts';
import {
  BUILD_QUEUE_SECONDS,
  BUILDS_AT_ONCE,
  limitDefaults,
  WEBHOOKS_LIMIT_MAX,
} from '../contract/limits.ts';
import { agentSettings, agentSettingsProblem } from './agents/agent-settings.ts';

/**
 * What the context of the CDK may say, each with its default. `-c name=value` on the command line wins over
 * `cdk.json`, and both win over what the installation remembers (lib/infra/remembered).
 */
const settings = z.object({
  /** Part of every name, so that several installations fit in one account. */
  environment: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,15}$/)
    .default('prod'),
  /**
   * `destroy` deletes all data with the data stack, objects in its buckets included; anything else keeps it.
   */
  removal: z.enum(['retain', 'destroy']).default('retain'),
  /** Sustained requests a second for the whole API, and what may come at once. */
  rateLimit: z.coerce.number().int().positive().default(100),
  burstLimit: z.coerce.number().int().positive().default(200),
  /**
   * So many calls of dispatch and of each state are kept free for them, whatever requests take; two of sweep.
   * None unless given.
   */
  engineConcurrency: z.coerce.number().int().min(5).max(1000).optional(),
  logRetentionDays: z.coerce.number().int().positive().default(30),
  /**
   * A DEPLOY task that no listener claims, and a listener that goes silent, fail a revision after so many
   * seconds.
   */
  unclaimedSeconds: z.coerce.number().int().positive().default(900),
  silentSeconds: z.coerce.number().int().positive().default(900),
  /** A build may take so long once it runs. */
  buildSeconds: z.coerce
    .number()
    .int()
    .min(300)
    .max(3300, 'at most 3300: what a build pushes with is good for an hour, and it may wait for five minutes')
    .default(1800),
  /** A build may wait so long for a builder. */
  buildQueueSeconds: z.coerce.number().int().min(300).max(28_800).default(BUILD_QUEUE_SECONDS),
  /** How large a machine a build gets. */
  buildCompute: z.enum(['small', 'medium', 'large', 'xlarge']).default('small'),
  /**
   * An item of Secrets Manager with an account at Docker Hub, `{"username": …, "password": …}`: images are
   * pulled in its name. Absent: in nobody's.
   */
  dockerHubSecret: z
    .string()
    .regex(/^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:.+$/, 'the ARN of an item of Secrets Manager')
    .optional(),
  /**
   * Origins whose pages may call the API: `*`, or `https://console.example`, several separated by commas.
   * None unless given.
   */
  corsOrigins: z
    .string()
    .default('')
    .transform(listed)
    .refine((origins) => origins.every(isOrigin), 'an origin is * or like https://console.example:8443'),
  /** So many of the newest artifacts of a deployment are kept, beside those that are in use. */
  keptArtifacts: z.coerce.number().int().positive().max(1000).default(5),
  /** Who did what is kept for so long. */
  auditDays: z.coerce.number().int().positive().max(36_500).default(400),
  /** Keys that are made in the console or with a bearer token are good for so long at most. */
  keyDays: z.coerce.number().int().positive().max(36_500).default(90),
  /** How much a tenant may have. */
  deploymentsMax: z.coerce.number().int().positive().max(100_000).default(limitDefaults.deployments),
  listenersMax: z.coerce.number().int().positive().max(100_000).default(limitDefaults.listeners),
  webhooksMax: z.coerce.number().int().positive().max(WEBHOOKS_LIMIT_MAX).default(limitDefaults.webhooks),
  integrationsMax: z.coerce.number().int().positive().max(100_000).default(limitDefaults.integrations),
  keysMax: z.coerce.number().int().positive().max(100_000).default(limitDefaults.keys),
  waitingRevisionsMax: z.coerce
    .number()
    .int()
    .positive()
    .max(100_000)
    .default(limitDefaults.waitingRevisions),
  buildsAtOnceMax: z.coerce.number().int().positive().max(100_000).default(BUILDS_AT_ONCE),
  /**
   * Internal hosts that requests may name (of repositories, say), separated by commas: their addresses need
   * not be public.
   */
  allowedHosts: z
    .string()
    .regex(/^[A-Za-z0-9., :-]*$/)
    .default(''),
  /**
   * What is there already, restored ones say: the installation works on it instead of on one that it makes.
   */
  tableName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/)
    .optional(),
  tableStreamArn: z.string().startsWith('arn:').optional(),
  keyArn: z
    .string()
    .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/[^:*]+$/, 'the ARN of a key, not of an alias')
    .optional(),
  bucketName: z
    .string()
    .regex(/^[a-z0-9.-]{3,63}$/)
    .optional(),
  /** Gets mail from alarms. */
  alarmEmail: z.email().optional(),
  /**
   * The OpenID Connect issuer of bearer tokens, and whom they must be for. Without them requests carry API
   * keys only.
   */
  oidcIssuer: z.url({ protocol: /^https$/ }).optional(),
  oidcAudience: z.string().min(1).optional(),
  /** The console's client there, and the token endpoint where it is not on the issuer's host (Cognito). */
  oidcClientId: z.string().min(1).optional(),
  oidcTokenEndpoint: z.url({ protocol: /^https$/ }).optional(),
  /** `fargate`: the installation runs agents itself, as containers of this account. */
  compute: z.enum(['fargate']).optional(),
  ...agentSettings,
  /** An address of one's own, with its certificate in this region. */
  domainName: z.string().optional(),
  certificateArn: z.string().startsWith('arn:').optional(),
});
export type Settings = z.output<typeof settings>;

/**
 * Settings by name as somebody gave them, without defaults and without `environment`, which names the
 * installation.
 */
export type Given = Readonly<Record<string, string>>;

/** Of the context, what is a setting. A value may be one that takes a setting back (see `changed`). */
export function givenIn(context: (name: string) => unknown): Given {
  const names = Object.keys(settings.shape).filter((name) => name !== 'environment');
  const found = names.map((name) => [name, context(name)] as const);
  return Object.fromEntries(
    found
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Settings that mean nothing without another one: who takes that one back takes them back too. */
const companions: Readonly<Record<string, readonly string[]>> = {
  compute: Object.keys(settings.shape).filter((name) => name in agentSettings || name.startsWith('agent')),
  domainName: ['certificateArn'],
  oidcIssuer: ['oidcAudience', 'oidcClientId', 'oidcTokenEndpoint'],
  tableName: ['tableStreamArn'],
  agentVpcId: ['agentSubnets', 'balancerSubnets'],
  agentsDomain: ['agentsCertificateArn'],
};

/** `-c name=none` and `-c name=` take a setting back. */
const isTakenBack = (value: string): boolean => value === 'none' || value === '';

/** What holds once `given` has changed what was remembered: each that is not named stays as it was. */
export function changed(remembered: Given, given: Given): Given {
  const takenBack = Object.keys(given).filter((name) => isTakenBack(given[name] ?? ''));
  const gone = new Set(takenBack.flatMap((name) => [name, ...(companions[name] ?? [])]));
  const kept = Object.entries(remembered).filter(([name]) => !gone.has(name));
  const said = Object.entries(given).filter(([, value]) => !isTakenBack(value));
  return Object.fromEntries([...kept, ...said]);
}

/** Those that differ from their default, of some that were read from what is deployed. */
export function withoutDefaults(given: Given): Given {
  const defaults: Readonly<Record<string, unknown>> = settings.parse({});
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== '' && value !== String(defaults[name])),
  );
}

/** The settings of an environment (whatever the context says) that these were given for. */
export const settingsOf = (environment: unknown, given: Given): Settings =>
  readSettings((name) => (name === 'environment' ? environment : given[name]));

/** Reads the settings; throws an error that names each wrong one. */
export function readSettings(context: (name: string) => unknown): Settings {
  const given = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, context(name)]));
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw new Error(`settings: ${z.prettifyError(parsed.error)}`);
  const { domainName, certificateArn, oidcIssuer, oidcAudience, tableName, tableStreamArn } = parsed.data;
  if ((domainName === undefined) !== (certificateArn === undefined))
    throw new Error('settings: domainName and certificateArn go together');
  if ((oidcIssuer === undefined) !== (oidcAudience === undefined))
    throw new Error('settings: oidcIssuer and oidcAudience go together');
  if (parsed.data.oidcClientId !== undefined && oidcIssuer === undefined)
    throw new Error('settings: oidcClientId goes with oidcIssuer');
  if ((tableName === undefined) !== (tableStreamArn === undefined))
    throw new Error('settings: tableName and tableStreamArn go together');
  const problem = agentSettingsProblem(parsed.data);
  if (problem !== undefined) throw new Error(`settings: ${problem}`);
  return parsed.data;
}

/** How long the engine waits for whom, as functions read it. */
export const waitVariables = (given: Settings) => ({
  UNCLAIMED_SECONDS: String(given.unclaimedSeconds),
  SILENT_SECONDS: String(given.silentSeconds),
  BUILD_SECONDS: String(given.buildSeconds),
  BUILD_QUEUE_SECONDS: String(given.buildQueueSeconds),
});

/** How much a tenant may have, as functions read it. */
export const limitVariables = (given: Settings) => ({
  DEPLOYMENTS_MAX: String(given.deploymentsMax),
  LISTENERS_MAX: String(given.listenersMax),
  WEBHOOKS_MAX: String(given.webhooksMax),
  INTEGRATIONS_MAX: String(given.integrationsMax),
  KEYS_MAX: String(given.keysMax),
  WAITING_REVISIONS_MAX: String(given.waitingRevisionsMax),
  BUILDS_AT_ONCE_MAX: String(given.buildsAtOnceMax),
});
