import * as z from 'zod';
import { managedComputeTypes } from '../compute/kinds.ts';
import { defaultRuntimes } from '../contract/deployments/runtimes.ts';
import { BUILDS_AT_ONCE, installationDefaults, limitDefaults } from './defaults.ts';
import { hostList } from './host-list.ts';
import { variable } from './variable.ts';

// The environment of functions: what the infrastructure sets, and what they read. Each function is given only
// the variables of what it uses, and bundles only those that it reads. The comments are the table in
// docs/configuration.md.

const text = () => z.string().min(1);
const name = () => z.string().min(3);
const arn = () => z.string().startsWith('arn:');
const role = () => z.string().regex(/^arn:[^:]+:iam::\d*:role\/.+$/);
const names = () => text().transform((list) => list.split(','));
const seconds = (absent: number) => z.string().regex(/^\d+$/).transform(Number).default(absent);
const count = (absent: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .transform(Number)
    .default(absent);

/** The table. */
export const TABLE_NAME = /* @__PURE__ */ variable('TABLE_NAME', name);
/** The state machine of revisions. */
export const STATE_MACHINE_ARN = /* @__PURE__ */ variable('STATE_MACHINE_ARN', () =>
  z.string().regex(/^arn:[^:]+:states:[^:]*:[^:]*:stateMachine:[^:]+$/),
);
/** The KMS key (id or ARN) that wraps data keys. */
export const KEY_ID = /* @__PURE__ */ variable('KEY_ID', text);
/** The bucket of uploads and artifacts. */
export const BUCKET_NAME = /* @__PURE__ */ variable('BUCKET_NAME', name);
/** The bucket for descriptions of builds. */
export const JOBS_BUCKET_NAME = /* @__PURE__ */ variable('JOBS_BUCKET_NAME', name);
/** The CodeBuild project that builds. */
export const BUILD_PROJECT_NAME = /* @__PURE__ */ variable('BUILD_PROJECT_NAME', () => z.string().min(2));
/** The log group of builds. */
export const BUILD_LOG_GROUP_NAME = /* @__PURE__ */ variable('BUILD_LOG_GROUP_NAME', text);
/** The role whose sessions push the image of one deployment. */
export const PUSH_ROLE_ARN = /* @__PURE__ */ variable('PUSH_ROLE_ARN', () => role().optional());
/** The role whose sessions pull the images of one tenant. */
export const PULL_ROLE_ARN = /* @__PURE__ */ variable('PULL_ROLE_ARN', () => role().optional());
/** The image registry. Absent: the installation has none. */
export const REGISTRY_HOST = /* @__PURE__ */ variable('REGISTRY_HOST', () => text().optional());
/** The bus that events are published to. */
export const EVENT_BUS_NAME = /* @__PURE__ */ variable('EVENT_BUS_NAME', text);
/** The function that delivers events to webhooks. */
export const DELIVER_FUNCTION_NAME = /* @__PURE__ */ variable('DELIVER_FUNCTION_NAME', text);
/** Where listeners open their sockets. Absent: they ask again and again. */
export const DOORBELL_URL = /* @__PURE__ */ variable('DOORBELL_URL', () =>
  z
    .string()
    .regex(/^wss?:\/\//)
    .optional(),
);
/** The function that rings at the sockets of listeners. */
export const RING_FUNCTION_NAME = /* @__PURE__ */ variable('RING_FUNCTION_NAME', text);
/** The function that looks at the heads of branches. */
export const HEADS_FUNCTION_NAME = /* @__PURE__ */ variable('HEADS_FUNCTION_NAME', text);
/** The address that clients reach the API at. Absent: the gateway's own. */
export const SLIPWAY_BASE_URL = /* @__PURE__ */ variable('SLIPWAY_BASE_URL', () => text().optional());
/** The setting `keptArtifacts`. */
export const KEPT_ARTIFACTS = /* @__PURE__ */ variable('KEPT_ARTIFACTS', () =>
  count(installationDefaults.keptArtifacts),
);
/** The setting `auditDays`. */
export const AUDIT_DAYS = /* @__PURE__ */ variable('AUDIT_DAYS', () => count(installationDefaults.auditDays));
/** The setting `keyDays`. */
export const KEY_DAYS = /* @__PURE__ */ variable('KEY_DAYS', () => count(installationDefaults.keyDays));
/** Hosts that requests may name though their addresses are not public: the setting `allowedHosts`. */
export const ALLOWED_HOSTS = /* @__PURE__ */ variable('ALLOWED_HOSTS', () => hostList().default([]));
/** The setting `oidcIssuer`. Absent: requests carry API keys only. */
export const OIDC_ISSUER = /* @__PURE__ */ variable('OIDC_ISSUER', () => text().optional());
/** The setting `oidcAudience`. */
export const OIDC_AUDIENCE = /* @__PURE__ */ variable('OIDC_AUDIENCE', () => text().optional());
/** The setting `oidcIssuers`, separated by commas. */
export const OIDC_ISSUERS = /* @__PURE__ */ variable('OIDC_ISSUERS', () => names().default([]));
/** The setting `oidcClientId`. */
export const OIDC_CLIENT_ID = /* @__PURE__ */ variable('OIDC_CLIENT_ID', () => text().optional());
/** The setting `oidcTokenEndpoint`. */
export const OIDC_TOKEN_ENDPOINT = /* @__PURE__ */ variable('OIDC_TOKEN_ENDPOINT', () => z.url().optional());
/** Where signed addresses of uploads lead, for the console's policy. Absent: to the installation itself. */
export const UPLOAD_ORIGIN = /* @__PURE__ */ variable('UPLOAD_ORIGIN', () => z.url().optional());
/** Origins of agents that the console's page may ask, separated by commas; `*.` stands for all hosts of a domain. */
export const AGENT_ORIGINS = /* @__PURE__ */ variable('AGENT_ORIGINS', () => names().default([]));
/** Compute that the installation runs itself. Absent: agents run on what listeners bring. */
export const MANAGED_COMPUTE = /* @__PURE__ */ variable('MANAGED_COMPUTE', () =>
  z.enum(managedComputeTypes).optional(),
);
/** The setting `defaultRuntime`. Absent: what is usual where an agent runs. */
export const DEFAULT_RUNTIME = /* @__PURE__ */ variable('DEFAULT_RUNTIME', () =>
  z.enum(defaultRuntimes).default('auto'),
);
/** The function that drives what the installation runs itself. Absent: it runs nothing. */
export const DRIVE_FUNCTION_NAME = /* @__PURE__ */ variable('DRIVE_FUNCTION_NAME', () => text().optional());
/** The item with variables of all servers: the setting `agentSecrets`. */
export const AGENT_SECRETS = /* @__PURE__ */ variable('AGENT_SECRETS', () => text().optional());
/** The item with an account at Docker Hub: the setting `dockerHubSecret`. Builds read it too. */
export const DOCKER_HUB_SECRET_ARN = /* @__PURE__ */ variable('DOCKER_HUB_SECRET_ARN', () =>
  arn().optional(),
);

/** The cluster of agents. */
export const AGENTS_CLUSTER = /* @__PURE__ */ variable('AGENTS_CLUSTER', text);
/** The network of agents. */
export const AGENTS_VPC_ID = /* @__PURE__ */ variable('AGENTS_VPC_ID', text);
/** The subnets that servers run in, separated by commas. */
export const AGENTS_SUBNETS = /* @__PURE__ */ variable('AGENTS_SUBNETS', names);
/** The security groups of servers, separated by commas. */
export const AGENTS_SECURITY_GROUPS = /* @__PURE__ */ variable('AGENTS_SECURITY_GROUPS', names);
/** Whether servers have a public address, over which they reach the outside. */
export const AGENTS_PUBLIC_IP = /* @__PURE__ */ variable('AGENTS_PUBLIC_IP', () =>
  z.enum(['true', 'false']).transform((word) => word === 'true'),
);
/** The listener of the balancer. */
export const AGENTS_LISTENER_ARN = /* @__PURE__ */ variable('AGENTS_LISTENER_ARN', arn);
/** The role that ECS starts servers with. */
export const AGENTS_EXECUTION_ROLE_ARN = /* @__PURE__ */ variable('AGENTS_EXECUTION_ROLE_ARN', arn);
/** What agents may do in the account: the setting `agentRole`. Absent: nothing. */
export const AGENTS_ROLE_ARN = /* @__PURE__ */ variable('AGENTS_ROLE_ARN', () => arn().optional());
/** The log group of servers. */
export const AGENTS_LOG_GROUP_NAME = /* @__PURE__ */ variable('AGENTS_LOG_GROUP_NAME', text);
/** What the names of items with secrets of servers begin with. */
export const AGENTS_SECRET_PREFIX = /* @__PURE__ */ variable('AGENTS_SECRET_PREFIX', text);
/** Where agents answer: `https://` and the host of the front. */
export const AGENTS_URL = /* @__PURE__ */ variable('AGENTS_URL', () => z.string().startsWith('https://'));
/** The cluster of agents, for whoever measures them. Absent: none run here. */
export const MEASURED_CLUSTER = /* @__PURE__ */ variable('MEASURED_CLUSTER', () => text().optional());
/** The listener of the balancer, for whoever measures agents. Absent: none run here. */
export const MEASURED_LISTENER_ARN = /* @__PURE__ */ variable('MEASURED_LISTENER_ARN', () =>
  arn().optional(),
);
/** The domain under which each agent has a host: the setting `agentsDomain`. Absent: they answer at paths alone. */
export const AGENTS_DOMAIN = /* @__PURE__ */ variable('AGENTS_DOMAIN', () => text().optional());

/** The setting `deploymentsMax`. */
export const DEPLOYMENTS_MAX = /* @__PURE__ */ variable('DEPLOYMENTS_MAX', () =>
  count(limitDefaults.deployments),
);
/** The setting `listenersMax`. */
export const LISTENERS_MAX = /* @__PURE__ */ variable('LISTENERS_MAX', () => count(limitDefaults.listeners));
/** The setting `webhooksMax`. */
export const WEBHOOKS_MAX = /* @__PURE__ */ variable('WEBHOOKS_MAX', () => count(limitDefaults.webhooks));
/** The setting `integrationsMax`. */
export const INTEGRATIONS_MAX = /* @__PURE__ */ variable('INTEGRATIONS_MAX', () =>
  count(limitDefaults.integrations),
);
/** The setting `keysMax`. */
export const KEYS_MAX = /* @__PURE__ */ variable('KEYS_MAX', () => count(limitDefaults.keys));
/** The setting `waitingRevisionsMax`. */
export const WAITING_REVISIONS_MAX = /* @__PURE__ */ variable('WAITING_REVISIONS_MAX', () =>
  count(limitDefaults.waitingRevisions),
);
/** The setting `buildsAtOnceMax`. */
export const BUILDS_AT_ONCE_MAX = /* @__PURE__ */ variable('BUILDS_AT_ONCE_MAX', () => count(BUILDS_AT_ONCE));
/** The setting `unclaimedSeconds`. */
export const UNCLAIMED_SECONDS = /* @__PURE__ */ variable('UNCLAIMED_SECONDS', () =>
  seconds(installationDefaults.unclaimedSeconds),
);
/** The setting `silentSeconds`. */
export const SILENT_SECONDS = /* @__PURE__ */ variable('SILENT_SECONDS', () =>
  seconds(installationDefaults.silentSeconds),
);
/** The setting `buildSeconds`. */
export const BUILD_SECONDS = /* @__PURE__ */ variable('BUILD_SECONDS', () =>
  seconds(installationDefaults.buildSeconds),
);
/** The setting `buildQueueSeconds`. */
export const BUILD_QUEUE_SECONDS = /* @__PURE__ */ variable('BUILD_QUEUE_SECONDS', () =>
  seconds(installationDefaults.buildQueueSeconds),
);
