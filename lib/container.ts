import { createS3Blobs } from './adapters/aws/blobs.ts';
import { createCodeBuild } from './adapters/aws/builds.ts';
import { createHttpGit } from './adapters/aws/git.ts';
import { createKmsKeys } from './adapters/aws/keys.ts';
import { createTableLogs } from './adapters/aws/logs.ts';
import { createDynamoTable } from './adapters/aws/table.ts';
import { createStepFunctions } from './adapters/aws/workflow.ts';
import { systemClock } from './adapters/clock.ts';
import { neverWait } from './adapters/offers.ts';
import type { Settings } from './app/deps.ts';
import type { EngineDeps } from './app/engine/situation.ts';
import { variable } from './contract/env.ts';
import { lazy } from './contract/lazy.ts';

/**
 * The composition root of the Lambda functions. Every part is made when it is first asked for, from the variables it needs; what an
 * entry does not import is dropped from its bundle, clients included.
 */
export const clock = systemClock;
export const offers = neverWait;

export const table = /* @__PURE__ */ lazy(() => createDynamoTable(variable('TABLE_NAME')));
export const keys = /* @__PURE__ */ lazy(() => createKmsKeys(variable('KEY_ID')));
export const blobs = /* @__PURE__ */ lazy(() => createS3Blobs(variable('BUCKET_NAME')));
export const logs = /* @__PURE__ */ lazy(() => createTableLogs(table(), clock));
export const git = /* @__PURE__ */ lazy(() => createHttpGit());
export const workflow = /* @__PURE__ */ lazy(() => createStepFunctions(variable('STATE_MACHINE_ARN')));

export const builds = /* @__PURE__ */ lazy(() =>
  createCodeBuild({
    projectName: variable('BUILD_PROJECT_NAME'),
    bucketName: variable('BUCKET_NAME'),
    logGroupName: variable('BUILD_LOG_GROUP_NAME'),
    pushRoleArn: variable('PUSH_ROLE_ARN'),
    registryHost: variable('REGISTRY_HOST'),
    timeoutSeconds: variable('BUILD_SECONDS'),
  }),
);

export const settings = /* @__PURE__ */ lazy(
  (): Settings => ({
    allowFileRepositories: false,
    registryHost: variable('REGISTRY_HOST'),
    unclaimedSeconds: variable('UNCLAIMED_SECONDS'),
    silentSeconds: variable('SILENT_SECONDS'),
    buildSeconds: variable('BUILD_SECONDS'),
  }),
);

/** What dispatch and sweep work with. */
export const engineDeps = (): EngineDeps => ({
  table: table(),
  clock,
  workflow: workflow(),
  builds: builds(),
  logs: logs(),
  settings: settings(),
});
