import { createAgentSecrets } from './adapters/aws/agent-secrets.ts';
import { apiDocsIn } from './adapters/aws/api-docs.ts';
import { createS3Blobs } from './adapters/aws/blobs.ts';
import { createBuildControl } from './adapters/aws/build-control.ts';
import { createCodeBuild } from './adapters/aws/builds.ts';
import { cliFilesIn } from './adapters/aws/cli-files.ts';
import { consoleFilesIn } from './adapters/aws/console-files.ts';
import { createEventBus } from './adapters/aws/events.ts';
import { createHttpGit } from './adapters/aws/git.ts';
import { lookAtCommit } from './adapters/aws/git-look.ts';
import { createEcrImages } from './adapters/aws/images.ts';
import { createKmsKeys } from './adapters/aws/keys.ts';
import { createTableLogs } from './adapters/aws/logs.ts';
import { createEc2Networks } from './adapters/aws/networks.ts';
import { createEcrLogins } from './adapters/aws/registry-logins.ts';
import { createHttpRepositories } from './adapters/aws/repositories.ts';
import { createDoorbell, createGatewaySockets } from './adapters/aws/sockets.ts';
import { createDynamoTable } from './adapters/aws/table.ts';
import { createDriver, createLambdaWaker } from './adapters/aws/waker.ts';
import { createStepFunctions } from './adapters/aws/workflow.ts';
import { askedBriefly } from './adapters/brief-repositories.ts';
import { systemClock } from './adapters/clock.ts';
import { noRegistry } from './adapters/images.ts';
import { createCommitStatuses } from './adapters/outbound/commit-statuses.ts';
import { createGuardedFetch } from './adapters/outbound/guarded-fetch.ts';
import { openOAuth } from './adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from './adapters/outbound/oauth/discovery.ts';
import { createRepositoryLists } from './adapters/outbound/repository-lists.ts';
import { createTokenChecks } from './adapters/outbound/token-checks.ts';
import { openWebhookSender } from './adapters/outbound/webhook-sender.ts';
import type { SignIn } from './adapters/sign-in.ts';
import { neverWait } from './adapters/task-notifier.ts';
import { issuerAnswers, tokenIssuers as openTokenIssuers } from './adapters/token-issuers.ts';
import { createEcsCompute } from './compute/ecs/compute.ts';
import { createEcsMetrics } from './compute/ecs/metrics.ts';
import type { ComputeDriver } from './compute/managed.ts';
import { once } from './contract/once.ts';
import type { Settings } from './core/deps.ts';
import type { EngineDeps } from './core/engine/load.ts';
import * as env from './settings/functions.ts';

/**
 * The composition root of the Lambda functions. Every part is made when it is first asked for, from the
 * variables it needs; what an entry does not import is dropped from its bundle, clients included.
 */
export const clock = systemClock;
export const taskNotifier = neverWait;

export const table = /* @__PURE__ */ once(() => createDynamoTable(env.TABLE_NAME()));
export const keys = /* @__PURE__ */ once(() => createKmsKeys(env.KEY_ID()));
export const blobs = /* @__PURE__ */ once(() => createS3Blobs(env.BUCKET_NAME()));
export const logs = /* @__PURE__ */ once(() => createTableLogs(table(), clock));
/** Its files are put there when the function is bundled. */
export const apiDocs = /* @__PURE__ */ once(() => apiDocsIn(new URL('./viewer/', import.meta.url)));
/** Its files are put there when the function is bundled. */
export const consoleFiles = /* @__PURE__ */ once(() =>
  consoleFilesIn(new URL('./console/', import.meta.url)),
);
/** Its files are put there when the function is bundled. */
export const cliFiles = /* @__PURE__ */ once(() => cliFilesIn(new URL('./cli/', import.meta.url)));
export const signIn = /* @__PURE__ */ once((): SignIn => {
  const [issuer, audience] = [env.OIDC_ISSUER(), env.OIDC_AUDIENCE()];
  const clientId = env.OIDC_CLIENT_ID();
  if (issuer === undefined || audience === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, audience, tokenEndpoint: env.OIDC_TOKEN_ENDPOINT() };
});
export const tokenIssuers = /* @__PURE__ */ once(() =>
  openTokenIssuers(
    { issuers: env.OIDC_ISSUERS(), own: env.OIDC_ISSUER() },
    () => createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }, issuerAnswers),
    clock.now,
  ),
);
export const uploadOrigin = /* @__PURE__ */ once(() => env.UPLOAD_ORIGIN());
/** Agents answer at the same addresses, wherever the console is opened. */
export const agentOrigins = (): readonly string[] => env.AGENT_ORIGINS();
export const commitStatuses = /* @__PURE__ */ once(() =>
  createCommitStatuses(createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false })),
);
export const repositoryLists = /* @__PURE__ */ once(() =>
  createRepositoryLists(createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false })),
);
export const tokenChecks = /* @__PURE__ */ once(() =>
  createTokenChecks(createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false })),
);
/** What reads files of repositories. */
export const repositories = /* @__PURE__ */ once(() =>
  askedBriefly(
    createHttpRepositories({
      fetch: createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }),
    }),
    clock.now,
  ),
);
export const git = /* @__PURE__ */ once(() =>
  createHttpGit({
    fetch: createGuardedFetch({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }),
    lookAt: lookAtCommit,
  }),
);
export const oauth = /* @__PURE__ */ once(() =>
  openOAuth({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }),
);
export const oauthDiscovery = /* @__PURE__ */ once(() =>
  openOAuthDiscovery({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }),
);
export const events = /* @__PURE__ */ once(() => createEventBus(env.EVENT_BUS_NAME()));
export const webhookSender = /* @__PURE__ */ once(() =>
  openWebhookSender({ allowedHosts: env.ALLOWED_HOSTS(), loopback: false }),
);
export const webhookWaker = /* @__PURE__ */ once(() => createLambdaWaker(env.DELIVER_FUNCTION_NAME()));
export const doorbell = /* @__PURE__ */ once(() => {
  const url = env.DOORBELL_URL();
  return url === undefined ? undefined : createDoorbell(url);
});
export const doorbellWaker = /* @__PURE__ */ once(() => createLambdaWaker(env.RING_FUNCTION_NAME()));
export const sockets = /* @__PURE__ */ once(() => createGatewaySockets(env.DOORBELL_URL()));
export const headWaker = /* @__PURE__ */ once(() => createLambdaWaker(env.HEADS_FUNCTION_NAME()));
export const workflow = /* @__PURE__ */ once(() => createStepFunctions(env.STATE_MACHINE_ARN()));

/** What looks at builds and stops them alone: a function that starts none has no clients for it. */
export const buildControl = /* @__PURE__ */ once(() => createBuildControl(env.REGISTRY_HOST()));
export const builds = /* @__PURE__ */ once(() =>
  createCodeBuild({
    projectName: env.BUILD_PROJECT_NAME(),
    bucketName: env.BUCKET_NAME(),
    jobsBucketName: env.JOBS_BUCKET_NAME(),
    logGroupName: env.BUILD_LOG_GROUP_NAME(),
    pushRoleArn: env.PUSH_ROLE_ARN(),
    registryHost: env.REGISTRY_HOST(),
  }),
);

export const images = /* @__PURE__ */ once(() => {
  const registryHost = env.REGISTRY_HOST();
  return registryHost === undefined ? noRegistry : createEcrImages(registryHost);
});

export const registry = /* @__PURE__ */ once(() =>
  createEcrLogins({
    registryHost: env.REGISTRY_HOST(),
    pushRoleArn: env.PUSH_ROLE_ARN(),
    pullRoleArn: env.PULL_ROLE_ARN(),
  }),
);

/** What `runtime: auto` is in this installation. */
export const defaultRuntime = /* @__PURE__ */ once(() => env.DEFAULT_RUNTIME());

export const settings = /* @__PURE__ */ once((): Settings => {
  const managedCompute = env.MANAGED_COMPUTE();
  return {
    allowFileRepositories: false,
    registryHost: env.REGISTRY_HOST(),
    unclaimedSeconds: env.UNCLAIMED_SECONDS(),
    silentSeconds: env.SILENT_SECONDS(),
    buildSeconds: env.BUILD_SECONDS(),
    buildQueueSeconds: env.BUILD_QUEUE_SECONDS(),
    keptArtifacts: env.KEPT_ARTIFACTS(),
    auditDays: env.AUDIT_DAYS(),
    keyDays: env.KEY_DAYS(),
    limits: {
      deployments: env.DEPLOYMENTS_MAX(),
      listeners: env.LISTENERS_MAX(),
      webhooks: env.WEBHOOKS_MAX(),
      integrations: env.INTEGRATIONS_MAX(),
      keys: env.KEYS_MAX(),
      waitingRevisions: env.WAITING_REVISIONS_MAX(),
    },
    buildsAtOnce: env.BUILDS_AT_ONCE_MAX(),
    addresses: { allowedHosts: env.ALLOWED_HOSTS(), loopback: false },
    defaultRuntime: defaultRuntime(),
    ...(managedCompute !== undefined && { managedCompute }),
  };
});

export const networks = /* @__PURE__ */ once(() => createEc2Networks(clock));

export { placeOfService } from './compute/ecs/names.ts';

export const compute = /* @__PURE__ */ once(() =>
  createEcsCompute({
    cluster: env.AGENTS_CLUSTER(),
    vpcId: env.AGENTS_VPC_ID(),
    subnets: env.AGENTS_SUBNETS(),
    securityGroups: env.AGENTS_SECURITY_GROUPS(),
    assignPublicIp: env.AGENTS_PUBLIC_IP(),
    listenerArn: env.AGENTS_LISTENER_ARN(),
    executionRoleArn: env.AGENTS_EXECUTION_ROLE_ARN(),
    taskRoleArn: env.AGENTS_ROLE_ARN(),
    dockerHubSecret: env.DOCKER_HUB_SECRET_ARN(),
    logGroupName: env.AGENTS_LOG_GROUP_NAME(),
    region: regionOf(env.AGENTS_LISTENER_ARN()),
    secretPrefix: env.AGENTS_SECRET_PREFIX(),
    baseUrl: env.AGENTS_URL(),
    domain: env.AGENTS_DOMAIN(),
  }),
);

/** Undefined: the installation runs no agents itself. */
export const metricsSource = /* @__PURE__ */ once(() => {
  const cluster = env.MEASURED_CLUSTER();
  const listenerArn = env.MEASURED_LISTENER_ARN();
  if (cluster === undefined || listenerArn === undefined) return undefined;
  return createEcsMetrics({ cluster, listenerArn, now: () => clock.now() });
});

/** Undefined: the installation gives servers nothing beside their own variables. */
export const agentSecrets = /* @__PURE__ */ once(() => {
  const item = env.AGENT_SECRETS();
  return item === undefined ? undefined : createAgentSecrets(item);
});

const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

const computeDriver = /* @__PURE__ */ once(() => {
  const functionName = env.DRIVE_FUNCTION_NAME();
  return functionName === undefined ? undefined : createDriver(functionName);
});

const drivenBy = (driver: ComputeDriver | undefined): Pick<EngineDeps, 'computeDriver'> =>
  driver === undefined ? {} : { computeDriver: driver };

/** What dispatch and sweep work with. */
export const engineDeps = (): EngineDeps => ({
  ...drivenBy(computeDriver()),
  table: table(),
  clock,
  workflow: workflow(),
  builds: buildControl(),
  logs: logs(),
  blobs: blobs(),
  images: images(),
  settings: settings(),
});
