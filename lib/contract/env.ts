import * as z from 'zod';
import { managedComputeTypes } from '../compute/kinds.ts';
import { BUILD_QUEUE_SECONDS, BUILDS_AT_ONCE, limitDefaults, type TenantLimits } from './limits.ts';

/** `git.corp.example, registry.corp.example`: names without ports. */
export const hostList = z
  .string()
  .transform((text) => text.split(',').flatMap((host) => host.trim().toLowerCase() || []))
  .pipe(z.array(z.string().regex(/^[a-z0-9.:-]+$/)));

const names = z
  .string()
  .min(1)
  .transform((text) => text.split(','));

const limit = (kind: keyof TenantLimits) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .transform(Number)
    .default(limitDefaults[kind]);

const seconds = (fallback: number) => z.string().regex(/^\d+$/).transform(Number).default(fallback);

/** Where the installation runs agents itself: for the driver alone. */
const agentVariables = {
  AGENTS_CLUSTER: z.string().min(1),
  AGENTS_VPC_ID: z.string().min(1),
  AGENTS_SUBNETS: names,
  AGENTS_SECURITY_GROUPS: names,
  /** Whether servers have a public address, over which they reach the outside. */
  AGENTS_PUBLIC_IP: z.enum(['true', 'false']).transform((text) => text === 'true'),
  AGENTS_LISTENER_ARN: z.string().startsWith('arn:'),
  AGENTS_EXECUTION_ROLE_ARN: z.string().startsWith('arn:'),
  /** What agents may do in the account. Absent: nothing. */
  AGENTS_ROLE_ARN: z.string().startsWith('arn:').optional(),
  AGENTS_LOG_GROUP_NAME: z.string().min(1),
  AGENTS_SECRET_PREFIX: z.string().min(1),
  /** Where they answer: `https://` and the host of the front. */
  AGENTS_URL: z.string().startsWith('https://'),
  /** The domain under which each of them has a host. Absent: they answer at paths alone. */
  AGENTS_DOMAIN: z.string().min(1).optional(),
} as const;

/**
 * The environment of all functions: what the infrastructure sets and the container reads. Each function has
 * only the variables of what it uses, so each is read by itself.
 */
const variables = {
  TABLE_NAME: z.string().min(3),
  STATE_MACHINE_ARN: z.string().regex(/^arn:[^:]+:states:[^:]*:[^:]*:stateMachine:[^:]+$/),
  /** The KMS key (id or ARN) that wraps data keys. */
  KEY_ID: z.string().min(1),
  BUCKET_NAME: z.string().min(3),
  /** The bucket for descriptions of builds. */
  JOBS_BUCKET_NAME: z.string().min(3),
  BUILD_PROJECT_NAME: z.string().min(2),
  BUILD_LOG_GROUP_NAME: z.string().min(1),
  /** The role whose sessions push the image of one deployment. */
  PUSH_ROLE_ARN: z
    .string()
    .regex(/^arn:[^:]+:iam::\d*:role\/.+$/)
    .optional(),
  /** The role whose sessions pull the images of one tenant. */
  PULL_ROLE_ARN: z
    .string()
    .regex(/^arn:[^:]+:iam::\d*:role\/.+$/)
    .optional(),
  /** Absent: this installation has no image registry. */
  REGISTRY_HOST: z.string().min(1).optional(),
  EVENT_BUS_NAME: z.string().min(1),
  /** The function that delivers events to webhooks. */
  DELIVER_FUNCTION_NAME: z.string().min(1),
  /** The function that looks at the heads of branches. */
  HEADS_FUNCTION_NAME: z.string().min(1),
  /** The address that clients reach the API at. Absent: the gateway's own. */
  SLIPWAY_BASE_URL: z.string().min(1).optional(),
  /** So many of the newest artifacts of a deployment are kept, beside those that are in use. */
  KEPT_ARTIFACTS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/)
    .transform(Number)
    .default(5),
  /** Audit events are kept for so long. */
  AUDIT_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .transform(Number)
    .default(400),
  /** Keys that are made in the console or with a bearer token are good for so long at most. */
  KEY_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .transform(Number)
    .default(90),
  /** Hosts that requests may name though their addresses are not public, separated by commas. */
  ALLOWED_HOSTS: hostList.default([]),
  /**
   * The OpenID Connect issuer of bearer tokens, and whom they must be for. Absent: requests carry keys only.
   */
  OIDC_ISSUER: z.string().min(1).optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  /** The console's own client at the issuer, and its token endpoint where that is on another host. */
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_TOKEN_ENDPOINT: z.url().optional(),
  /** Where signed addresses of uploads lead, for the console's policy. Absent: to this installation itself. */
  UPLOAD_ORIGIN: z.url().optional(),
  /** Compute that the installation runs itself. Absent: agents run on what listeners bring. */
  MANAGED_COMPUTE: z.enum(managedComputeTypes).optional(),
  /** The function that brings what the installation runs itself to what shall run. Absent: it runs nothing. */
  DRIVE_FUNCTION_NAME: z.string().min(1).optional(),
  /** The item with variables that all servers of agents get. Absent: there are none. */
  AGENT_SECRETS: z.string().min(1).optional(),
  /** The item with an account at Docker Hub. Absent: its images are fetched without one. */
  DOCKER_HUB_SECRET_ARN: z.string().startsWith('arn:').optional(),
  ...agentVariables,
  /** How much a tenant may have. */
  DEPLOYMENTS_MAX: limit('deployments'),
  LISTENERS_MAX: limit('listeners'),
  WEBHOOKS_MAX: limit('webhooks'),
  INTEGRATIONS_MAX: limit('integrations'),
  KEYS_MAX: limit('keys'),
  WAITING_REVISIONS_MAX: limit('waitingRevisions'),
  /** So many of a tenant's builds run at once; more wait. */
  BUILDS_AT_ONCE_MAX: z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .transform(Number)
    .default(BUILDS_AT_ONCE),
  UNCLAIMED_SECONDS: seconds(900),
  SILENT_SECONDS: seconds(900),
  BUILD_SECONDS: seconds(1800),
  BUILD_QUEUE_SECONDS: seconds(BUILD_QUEUE_SECONDS),
} as const;

export type VariableName = keyof typeof variables;
/** Those that only the infrastructure of agents can give. */
export type AgentVariableName = keyof typeof agentVariables;
type Schemas = typeof variables;

/**
 * What must be set for a function that reads the variables `N`; the infrastructure declares its functions'
 * environment with it.
 */
export type Environment<N extends VariableName = VariableName> = {
  [K in N]: z.input<Schemas[K]>;
};

/**
 * The value of one variable. Throws an error that names it when it is missing or malformed; an empty one
 * counts as absent.
 */
export function variable<N extends VariableName>(
  name: N,
  source: Record<string, string | undefined> = process.env,
): z.output<Schemas[N]> {
  const schema: z.ZodType = variables[name];
  const parsed = schema.safeParse(source[name] === '' ? undefined : source[name]);
  if (!parsed.success) throw new Error(`The environment variable ${name} is missing or malformed`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed with the schema of this very name
  return parsed.data as z.output<Schemas[N]>;
}
