import { createAgentSecrets } from './adapters/aws/agent-secrets.ts';
import { apiDocsIn } from './adapters/aws/api-docs.ts';
import { createS3Blobs } from './adapters/aws/blobs.ts';
import { createBuildControl } from './adapters/aws/build-control.ts';
import { createCodeBuild } from './adapters/aws/builds.ts';
import { createDriver } from './adapters/aws/compute-driver.ts';
import { consoleFilesIn } from './adapters/aws/console-files.ts';
import { createEventBus } from './adapters/aws/events.ts';
import { createHttpGit } from './adapters/aws/git.ts';
import { lookAtCommit } from './adapters/aws/git-look.ts';
import { createEcrImages } from './adapters/aws/images.ts';
import { createKmsKeys } from './adapters/aws/keys.ts';
import { createTableLogs } from './adapters/aws/logs.ts';
import { createEc2Networks } from './adapters/aws/networks.ts';
import { createEcrLogins } from './adapters/aws/registry-logins.ts';
import { createDynamoTable } from './adapters/aws/table.ts';
import { createLambdaWaker } from './adapters/aws/waker.ts';
import { createStepFunctions } from './adapters/aws/workflow.ts';
import { systemClock } from './adapters/clock.ts';
import { noRegistry } from './adapters/images.ts';
import { createCommitStatuses } from './adapters/outbound/commit-statuses.ts';
import { createGuardedFetch } from './adapters/outbound/guarded-fetch.ts';
import { openOAuth } from './adapters/outbound/oauth/client.ts';
import { openOAuthDiscovery } from './adapters/outbound/oauth/discovery.ts';
import { createRepositoryLists } from './adapters/outbound/repository-lists.ts';
import { openWebhookSender } from './adapters/outbound/webhook-sender.ts';
import type { SignIn } from './adapters/sign-in.ts';
import { neverWait } from './adapters/task-notifier.ts';
import type { Settings } from './app/deps.ts';
import type { EngineDeps } from './app/engine/load.ts';
import { createEcsCompute } from './compute/ecs/compute.ts';
import type { ComputeDriver } from './compute/managed.ts';
import { variable } from './contract/env.ts';
import { once } from './contract/once.ts';

/**
 * The composition root of the Lambda functions. Every part is made when it is first asked for, from the
 * variables it needs; what an entry does not import is dropped from its bundle, clients included.
 */
export const clock = systemClock;
export const taskNotifier = neverWait;

export const table = /* @__PURE__ */ once(() => createDynamoTable(variable('TABLE_NAME')));
export const keys = /* @__PURE__ */ once(() => createKmsKeys(variable('KEY_ID')));
export const blobs = /* @__PURE__ */ once(() => createS3Blobs(variable('BUCKET_NAME')));
export const logs = /* @__PURE__ */ once(() => createTableLogs(table(), clock));
/** Its files are put there when the function is bundled. */
export const apiDocs = /* @__PURE__ */ once(() => apiDocsIn(new URL('./viewer/', import.meta.url)));
/** Likewise. */
export const consoleFiles = /* @__PURE__ */ once(() =>
  consoleFilesIn(new URL('./console/', import.meta.url)),
);
export const signIn = /* @__PURE__ */ once((): SignIn => {
  const [issuer, audience] = [variable('OIDC_ISSUER'), variable('OIDC_AUDIENCE')];
  const clientId = variable('OIDC_CLIENT_ID');
  if (issuer === undefined || audience === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, audience, tokenEndpoint: variable('OIDC_TOKEN_ENDPOINT') };
});
export const uploadOrigin = /* @__PURE__ */ once(() => variable('UPLOAD_ORIGIN'));
export const git = /* @__PURE__ */ once(() =>
  createHttpGit({ fetch: createGuardedFetch({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false }) }),
);
export const commitStatuses = /* @__PURE__ */ once(() =>
  createCommitStatuses(createGuardedFetch({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false })),
);
export const repositoryLists = /* @__PURE__ */ once(() =>
  createRepositoryLists(createGuardedFetch({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false })),
);
/** The same as `git`, which also looks at commits. */
export const lookingGit = /* @__PURE__ */ once(() =>
  createHttpGit({
    fetch: createGuardedFetch({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false }),
    lookAt: lookAtCommit,
  }),
);
export const oauth = /* @__PURE__ */ once(() =>
  openOAuth({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false }),
);
export const oauthDiscovery = /* @__PURE__ */ once(() =>
  openOAuthDiscovery({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false }),
);
export const events = /* @__PURE__ */ once(() => createEventBus(variable('EVENT_BUS_NAME')));
export const webhookSender = /* @__PURE__ */ once(() =>
  openWebhookSender({ allowedHosts: variable('ALLOWED_HOSTS'), loopback: false }),
);
export const webhookWaker = /* @__PURE__ */ once(() => createLambdaWaker(variable('DELIVER_FUNCTION_NAME')));
export const headWaker = /* @__PURE__ */ once(() => createLambdaWaker(variable('HEADS_FUNCTION_NAME')));
export const workflow = /* @__PURE__ */ once(() => createStepFunctions(variable('STATE_MACHINE_ARN')));

/** What looks at builds and stops them alone: a function that starts none has no clients for it. */
export const buildControl = /* @__PURE__ */ once(() => createBuildControl(variable('REGISTRY_HOST')));
export const builds = /* @__PURE__ */ once(() =>
  createCodeBuild({
    projectName: variable('BUILD_PROJECT_NAME'),
    bucketName: variable('BUCKET_NAME'),
    jobsBucketName: variable('JOBS_BUCKET_NAME'),
    logGroupName: variable('BUILD_LOG_GROUP_NAME'),
    pushRoleArn: variable('PUSH_ROLE_ARN'),
    registryHost: variable('REGISTRY_HOST'),
  }),
);

export const images = /* @__PURE__ */ once(() => {
  const registryHost = variable('REGISTRY_HOST');
  return registryHost === undefined ? noRegistry : createEcrImages(registryHost);
});

export const registry = /* @__PURE__ */ once(() =>
  createEcrLogins({
    registryHost: variable('REGISTRY_HOST'),
    pushRoleArn: variable('PUSH_ROLE_ARN'),
    pullRoleArn: variable('PULL_ROLE_ARN'),
  }),
);

export const settings = /* @__PURE__ */ once((): Settings => {
  const managedCompute = variable('MANAGED_COMPUTE');
  return {
    allowFileRepositories: false,
    registryHost: variable('REGISTRY_HOST'),
    unclaimedSeconds: variable('UNCLAIMED_SECONDS'),
    silentSeconds: variable('SILENT_SECONDS'),
    buildSeconds: variable('BUILD_SECONDS'),
    buildQueueSeconds: variable('BUILD_QUEUE_SECONDS'),
    keptArtifacts: variable('KEPT_ARTIFACTS'),
    auditDays: variable('AUDIT_DAYS'),
    keyDays: variable('KEY_DAYS'),
    limits: {
      deployments: variable('DEPLOYMENTS_MAX'),
      listeners: variable('LISTENERS_MAX'),
      webhooks: variable('WEBHOOKS_MAX'),
      integrations: variable('INTEGRATIONS_MAX'),
      keys: variable('KEYS_MAX'),
      waitingRevisions: variable('WAITING_REVISIONS_MAX'),
    },
    buildsAtOnce: variable('BUILDS_AT_ONCE_MAX'),
    addresses: { allowedHosts: variable('ALLOWED_HOSTS'), loopback: false },
    ...(managedCompute !== undefined && { managedCompute }),
  };
});

export const networks = /* @__PURE__ */ once(() => createEc2Networks(clock));

export { placeOfService } from './compute/ecs/names.ts';

export const compute = /* @__PURE__ */ once(() =>
  createEcsCompute({
    cluster: variable('AGENTS_CLUSTER'),
    vpcId: variable('AGENTS_VPC_ID'),
    subnets: variable('AGENTS_SUBNETS'),
    securityGroups: variable('AGENTS_SECURITY_GROUPS'),
    assignPublicIp: variable('AGENTS_PUBLIC_IP'),
    listenerArn: variable('AGENTS_LISTENER_ARN'),
    executionRoleArn: variable('AGENTS_EXECUTION_ROLE_ARN'),
    taskRoleArn: variable('AGENTS_ROLE_ARN'),
    dockerHubSecret: variable('DOCKER_HUB_SECRET_ARN'),
    logGroupName: variable('AGENTS_LOG_GROUP_NAME'),
    region: regionOf(variable('AGENTS_LISTENER_ARN')),
    secretPrefix: variable('AGENTS_SECRET_PREFIX'),
    baseUrl: variable('AGENTS_URL'),
    domain: variable('AGENTS_DOMAIN'),
  }),
);

/** Undefined: the installation gives servers nothing beside their own variables. */
export const agentSecrets = /* @__PURE__ */ once(() => {
  const item = variable('AGENT_SECRETS');
  return item === undefined ? undefined : createAgentSecrets(item);
});

const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

const computeDriver = /* @__PURE__ */ once(() => {
  const functionName = variable('DRIVE_FUNCTION_NAME');
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
