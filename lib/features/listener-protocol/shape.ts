import * as z from 'zod';
import { COUNTS_ROWS_MAX, countsRow, measured, unmeasured } from '../../contract/deployments/counts.ts';
import { healthCheck } from '../../contract/deployments/health-check.ts';
import { onRelease } from '../../contract/deployments/on-release.ts';
import { agentUrl, reports } from '../../contract/deployments/reports.ts';
import { resolvedRuntimes } from '../../contract/deployments/runtimes.ts';
import { machinePattern } from '../../contract/images/platforms.ts';
import { agentServers } from '../../contract/revision-status.ts';
import { anyObject } from '../../contract/validation/as-given.ts';
import { withoutNulls } from '../../contract/validation/json.ts';

/**
 * Requests and responses of the listener protocol, which docs/listener-protocol.md explains. Listeners only
 * call out. Each request carries the listener's API key in `X-Api-Key`; each path starts with
 * `/v2/listeners/{listener_id}`.
 */

/** So many tasks an instance may have in hand: pods that do not come up hold up no other deployment. */
export const TASKS_IN_HAND_MAX = 100;
/** A task carries up to some hundred kilobytes, and each claim is answered within seconds. */
export const TASKS_PER_CLAIM_MAX = 10;

/**
 * `POST …/tasks/claim`. `wait_seconds` is a hint: how long the server may hold the answer while there is
 * no work. `max`: so many tasks the instance may have in hand; one answer brings ten of them at most.
 * `holding` names tasks that it is at work on: they count towards `max`, keep their lease, and do not come
 * back. `platform`: the machine (`linux/arm64`), for which folders and images are built. `counts`: minutes
 * that are over, in which something happened; they are sent until a claim with them is answered. `missing`:
 * what the listener cannot measure, and why; absent: it says nothing of that. `doorbell`: the instance has a
 * socket open, and claims when it rings. `reports`: what really runs, as `POST …/status` takes it.
 */
export const claimRequest = z
  .object({
    instance_id: z.string().min(1).max(128),
    version: z.string().max(128).nullish(),
    platform: z
      .string()
      .regex(machinePattern, "a platform looks like 'linux/amd64' or 'darwin/arm64'")
      .nullish(),
    max: z.int().min(1).max(TASKS_IN_HAND_MAX).nullish(),
    holding: z.array(z.guid()).max(TASKS_IN_HAND_MAX).nullish(),
    wait_seconds: z.int().min(0).max(20).nullish(),
    counts: z.array(countsRow).max(COUNTS_ROWS_MAX).nullish(),
    missing: z.array(unmeasured).max(measured.length).nullish(),
    doorbell: z.boolean().nullish(),
    reports: reports.nullish(),
  })
  .transform(withoutNulls)
  .transform(({ max = 1, holding = [], wait_seconds = 0, ...rest }) => ({
    ...rest,
    max,
    holding,
    wait_seconds,
  }));
export type ClaimRequest = z.output<typeof claimRequest>;

export const environmentVariable = z.object({ name: z.string(), value: z.string() });
export const taskSecretReference = z.object({
  name: z.string(),
  secret_name: z.string(),
  secret_key: z.string(),
});

/**
 * What to run: a built folder (a tar file, perhaps gzipped, to download once) or an image by digest.
 * `platforms`: what the image was built for (`linux/arm64`), where a build of the installation has made
 * it; an older control plane does not say.
 */
export const folderArtifact = z.object({ kind: z.literal('folder'), url: z.string(), sha256: z.string() });
export const imageArtifact = z.object({
  kind: z.literal('image'),
  uri: z.string(),
  platforms: z.array(z.string()).optional(),
});
export const artifact = z.discriminatedUnion('kind', [folderArtifact, imageArtifact]);

/**
 * Everything needed to run one revision: the body of a DEPLOY task and of `GET …/deployments/{id}/spec`.
 * `server`: what the artifact runs. `queue`: its runs are worked on by workers beside the server.
 * `drain_seconds`: how long what is in flight at a server that is replaced may go on; null: as the listener
 * has it. `start_command`: the line of shell that starts the server, in place of what the artifact says.
 * `health_check`: when the server is ready. `runtime`: what runs it. `on_release`: what happens to threads
 * that wait when it replaces another. An older control plane sends none of the seven.
 */
export const deploySpec = z.object({
  deployment_id: z.guid(),
  deployment_name: z.string(),
  tenant_id: z.guid(),
  revision_id: z.guid(),
  epoch: z.int(),
  artifact: artifact,
  graph_config_path: z.string(),
  environment: z.array(environmentVariable),
  secret_references: z.array(taskSecretReference),
  resource_spec: anyObject(),
  k8s_namespace: z.string().nullable(),
  custom_url: z.string().nullable(),
  server: z.enum(agentServers).optional(),
  queue: z.boolean().optional(),
  drain_seconds: z.int().nullish(),
  commit_sha: z.string().nullish(),
  start_command: z.string().nullish(),
  health_check: healthCheck().nullish(),
  runtime: z.enum(resolvedRuntimes).nullish(),
  on_release: onRelease().nullish(),
});
export type DeploySpec = z.infer<typeof deploySpec>;
/** As this control plane sends it: it leaves nothing out. */
export type FullDeploySpec = { [Field in keyof DeploySpec]-?: Exclude<DeploySpec[Field], undefined> };

const taskFields = {
  task_id: z.guid(),
  lease_id: z.guid(),
  lease_seconds: z.int(),
  deployment_id: z.guid(),
  epoch: z.int(),
};

export const deployTask = z.object({ kind: z.literal('DEPLOY'), ...taskFields, ...deploySpec.shape });
/** `delete_data`: no dump of its database stays; an older control plane does not say. */
export const deleteTask = z.object({
  kind: z.literal('DELETE'),
  ...taskFields,
  revision_id: z.null(),
  delete_data: z.boolean().optional(),
});
export const listenerTask = z.discriminatedUnion('kind', [deployTask, deleteTask]);
export type ListenerTask = z.infer<typeof listenerTask>;
export type DeployTask = Extract<ListenerTask, { kind: 'DEPLOY' }>;

/**
 * Answer to a claim. A task this instance already holds, and did not name, comes back under a new
 * `lease_id`, which it must use from then on. `cancelled` lists tasks of this instance to stop now and
 * then to complete with outcome `stopped`. `desired_changes` counts what a request has changed in `desired`
 * beside all tasks: another number than before means to read that now. An older control plane does not send
 * it. `doorbell`: where a socket is opened that rings when there is something to claim, relative to the
 * listener's own routes or absolute, and whether it rings this instance already (`rings`): only then is
 * `poll_after_seconds` in minutes. Absent: there is none. `reported`: so many of the claim's `reports` were
 * accepted. Absent: it had none, or they were not read by an older control plane and go to `POST …/status`.
 */
export const claimResponse = z.object({
  tasks: z.array(listenerTask),
  cancelled: z.array(z.guid()),
  poll_after_seconds: z.number(),
  desired_changes: z.int().optional(),
  doorbell: z.object({ url: z.string(), rings: z.boolean() }).optional(),
  reported: z.int().optional(),
});
export type ClaimResponse = z.infer<typeof claimResponse>;

/** What a reason may be long at most; it is quoted in responses. */
const REASON_LENGTH_MAX = 8192;

/**
 * `POST …/tasks/{task_id}/heartbeat`. `switching` is announced before traffic moves; `stop: true` means: do
 * not, stop. `status_message`: what the deploy waits for, shown until the next one; empty: for nothing any
 * more; absent: as before.
 */
export const heartbeatRequest = z
  .object({
    lease_id: z.guid(),
    phase: z.enum(['starting', 'switching', 'draining']).nullish(),
    status_message: z.string().max(REASON_LENGTH_MAX).nullish(),
  })
  .transform(withoutNulls);
export type HeartbeatRequest = z.output<typeof heartbeatRequest>;
export const heartbeatResponse = z.object({ stop: z.boolean() });

/**
 * `POST …/tasks/{task_id}/complete`. `instance_id` is enough to say that a cancelled task was stopped: the
 * answer that carried its last lease may never have reached the instance that holds it.
 */
export const completeRequest = z
  .object({
    lease_id: z.guid(),
    instance_id: z.string().min(1).max(128).nullish(),
    outcome: z.enum(['succeeded', 'failed', 'stopped']),
    status_message: z.string().max(REASON_LENGTH_MAX).nullish(),
    url: agentUrl.nullish(),
    image_version: z.string().max(256).nullish(),
    image_digest: z.string().max(256).nullish(),
    previous_serving: z.boolean().nullish(),
  })
  .transform(withoutNulls);
export type CompleteRequest = z.output<typeof completeRequest>;

/**
 * `accepted: false`: the task had ended; bring the deployment to `desired` now. 409: another instance holds
 * the lease, stop working on the task.
 */
export const completeResponse = z.object({ accepted: z.boolean() });

/**
 * One log line, stamped by its reader (epoch milliseconds; fractions keep lines of one millisecond in
 * order).
 */
export const logLine = z.object({
  timestamp: z.number(),
  level: z
    .enum(['DEBUG', 'INFO', 'WARNING', 'ERROR'])
    .nullish()
    .transform((level) => level ?? 'INFO'),
  message: z.string(),
});

/**
 * `POST …/tasks/{task_id}/logs`: what the listener says while it works on a task, kept as deploy logs of
 * its revision.
 */
export const taskLogsRequest = z.object({ lease_id: z.guid(), lines: z.array(logLine).max(1000) });
export type TaskLogsRequest = z.input<typeof taskLogsRequest>;

/**
 * `POST …/logs`: lines of running agent servers, kept as deploy logs of their revisions; at most 1,000
 * lines.
 */
export const shipLogsRequest = z.object({
  batches: z
    .array(
      z.object({
        deployment_id: z.guid(),
        revision_id: z.guid(),
        lines: z.array(logLine).max(1000),
      }),
    )
    .max(50),
});
export type ShipLogsRequest = z.input<typeof shipLogsRequest>;
export const shipLogsResponse = z.object({ accepted: z.int() });

/** `POST …/status`: what really runs. */
export const statusRequest = z.object({ reports });
export type StatusRequest = z.input<typeof statusRequest>;
export type StatusReports = z.output<typeof statusRequest>['reports'];
export const statusResponse = z.object({ accepted: z.int() });

/**
 * `GET …/desired`. `held`: a task of this deployment is in progress, leave it alone. `revision_id: null`:
 * run nothing of it. `custom_url` is the deployment's own address now, whatever the revision; null: it has
 * none. A row without it says nothing of it. `release_threads`: threads that wait in these revisions shall
 * wait no longer for their own build, but go on with the one that serves; it stays until a report says that
 * none waits there. `delete_data`: of a row that wants nothing, no dump of its database stays. Older control
 * planes send neither. `compute_config` is the listener's own, and a change of it is
 * another `version`; an older control plane does not send it. Only after an answer marked `complete` may a
 * listener remove compute that is not listed, and only its own.
 */
export const desiredResponse = z.object({
  version: z.string(),
  complete: z.boolean(),
  compute_config: anyObject().optional(),
  deployments: z.array(
    z.object({
      deployment_id: z.guid(),
      epoch: z.int(),
      revision_id: z.guid().nullable(),
      held: z.boolean(),
      custom_url: z.string().nullish(),
      release_threads: z.array(z.guid()).optional(),
      delete_data: z.boolean().optional(),
    }),
  ),
});
export type DesiredResponse = z.infer<typeof desiredResponse>;
