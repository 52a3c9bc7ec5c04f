import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { CountsRow } from '../../../lib/contract/deployments/counts.ts';
import {
  type CompleteRequest,
  claimRequest,
  completeRequest,
  type DeploySpec,
  heartbeatRequest,
  type ListenerTask,
  type StatusRequest,
  shipLogsRequest,
  statusRequest,
  taskLogsRequest,
} from '../../../lib/features/listener-protocol/shape.ts';

/**
 * What comes of the word that traffic is about to move: the answer that it must not; no answer, and a
 * cancelled task; or a refusal.
 */
type AtSwitch = 'stop' | 'cancel' | 'refuse';

type Offered = {
  task: ListenerTask;
  state: 'offered' | 'claimed' | 'ended';
  leaseId: string;
  instanceId?: string;
  cancelled: boolean;
  atSwitch: AtSwitch | undefined;
  conflicts: boolean;
};
type Row = {
  deployment_id: string;
  epoch: number;
  revision_id: string | null;
  held: boolean;
  /** As of an older control plane without it. */
  custom_url?: string | null;
};
/** Takes what is to be done when whatever was started is no longer needed. */
export type OnEnd = (end: () => void | Promise<void>) => void;
export type Line = { level: string; message: string; timestamp: number };

/** A control plane in memory that speaks the listener protocol, validates every request and records it. */
export class FakeControlPlane {
  readonly listenerId = randomUUID();
  readonly tenantId = randomUUID();
  readonly apiKey = 'slp_test_key_of_the_listener';
  readonly completed: (CompleteRequest & { task_id: string })[] = [];
  /** What the listener said at its last claim. */
  claimedVersion: string | null | undefined;
  readonly phases: { task_id: string; phase: string | null | undefined }[] = [];
  readonly reports: StatusRequest['reports'] = [];
  readonly taskLines: (Line & { task_id: string })[] = [];
  readonly agentLines: (Line & { deployment_id: string })[] = [];
  /** Each minute as it was told last. */
  readonly counts = new Map<string, CountsRow>();
  /** False: claims with counts are answered as by one that is away. */
  takesCounts = true;
  readonly problems: string[] = [];
  readonly desired = new Map<string, Row>();
  /** As an older control plane it says nothing of changes. */
  desiredChanges: number | undefined;
  readonly specs = new Map<string, DeploySpec>();
  readonly #offered = new Map<string, Offered>();
  readonly #artifacts = new Map<string, Buffer>();
  #lastInstanceId = '';
  #url = '';

  get url(): string {
    return this.#url;
  }

  /** Answers requests from now on; how that is ended is given to `onEnd`. */
  async start(onEnd: OnEnd = onTestFinished): Promise<this> {
    const server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        response.writeHead(422).end(JSON.stringify({ detail: String(error) }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    this.#url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    onEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    return this;
  }

  /** Keeps a tar file and answers the artifact that a task names. */
  addArtifact(tarball: Buffer): DeploySpec['artifact'] {
    const sha256 = createHash('sha256').update(tarball).digest('hex');
    this.#artifacts.set(sha256, tarball);
    return { kind: 'folder', url: `/v2/artifacts/${sha256}`, sha256 };
  }

  offerDeploy(spec: DeploySpec, atSwitch?: AtSwitch): string {
    this.specs.set(spec.deployment_id, spec);
    const row = this.desired.get(spec.deployment_id);
    const { deployment_id, epoch } = spec;
    this.desired.set(deployment_id, {
      ...row,
      deployment_id,
      epoch,
      revision_id: row?.revision_id ?? null,
      held: true,
    });
    return this.#offer({ kind: 'DEPLOY', ...taskFields(), ...spec }, atSwitch);
  }

  offerDelete(deploymentId: string, epoch: number): string {
    const task = { ...taskFields(), deployment_id: deploymentId, epoch, revision_id: null };
    return this.#offer({ kind: 'DELETE', ...task });
  }

  cancel(taskId: string): void {
    this.#get(taskId).cancelled = true;
  }

  /** As if a last claim had been answered, and the answer lost. */
  renewUnheard(taskId: string): void {
    this.#get(taskId).leaseId = randomUUID();
  }

  /** As if the listener had claimed it, and the answer been lost. */
  claimUnheard(taskId: string): void {
    this.#give(this.#get(taskId), this.#lastInstanceId);
  }

  /** From now on the task's lease is another's. */
  takeAway(taskId: string): void {
    this.#get(taskId).conflicts = true;
  }

  isClaimed(taskId: string): boolean {
    return this.#get(taskId).state === 'claimed';
  }

  /** Under which a deployment's next task is offered. */
  nextEpochOf(deploymentId: string): number {
    return (this.desired.get(deploymentId)?.epoch ?? 0) + 1;
  }

  taskLinesOf(taskId: string): Line[] {
    return this.taskLines.filter((line) => line.task_id === taskId);
  }

  agentLinesOf(deploymentId: string): Line[] {
    return this.agentLines.filter((line) => line.deployment_id === deploymentId);
  }

  reportsOf(deploymentId: string): StatusRequest['reports'] {
    return this.reports.filter((report) => report.deployment_id === deploymentId);
  }

  #offer(task: ListenerTask, atSwitch?: AtSwitch): string {
    const rest = { leaseId: task.lease_id, cancelled: false, conflicts: false, atSwitch };
    this.#offered.set(task.task_id, { task, state: 'offered', ...rest });
    return task.task_id;
  }

  #get(taskId: string): Offered {
    const found = this.#offered.get(taskId);
    if (found === undefined) throw new Error(`no task ${taskId}`);
    return found;
  }

  #give(offered: Offered, instanceId: string): void {
    offered.leaseId = randomUUID();
    offered.instanceId = instanceId;
    offered.state = 'claimed';
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '';
    if (request.headers['x-api-key'] !== this.apiKey) return void response.writeHead(401).end();
    const artifact = /^\/v2\/artifacts\/(.+)$/.exec(path)?.[1];
    if (artifact !== undefined) {
      const bytes = this.#artifacts.get(artifact);
      return void (bytes === undefined ? response.writeHead(404).end() : response.end(bytes));
    }
    const body: unknown = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const rest = path.slice(`/v2/listeners/${this.listenerId}/`.length);
    const [status, answer, headers] = await this.#route(rest, body, request.headers['if-none-match']);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 304 ? undefined : JSON.stringify(answer));
  }

  async #route(
    path: string,
    body: unknown,
    ifNoneMatch: string | undefined,
  ): Promise<[number, unknown, Record<string, string>?]> {
    const taskId = /^tasks\/([^/]+)\/(?:heartbeat|logs|complete)$/.exec(path)?.[1];
    if (path === 'tasks/claim') return this.#claim(body);
    if (taskId !== undefined) return this.#taskRoute(this.#get(taskId), path, body);
    const [, named] = /^desired(?:\?deployment_ids=(.*))?$/.exec(path) ?? [];
    if (path.startsWith('desired')) return this.#answerDesired(ifNoneMatch, named?.split(','));
    if (path === 'status') {
      this.reports.push(...statusRequest.parse(body).reports);
      return [200, { accepted: 1 }];
    }
    if (path === 'logs') {
      for (const { deployment_id, lines } of shipLogsRequest.parse(body).batches)
        this.agentLines.push(...lines.map((line) => ({ ...line, deployment_id })));
      return [200, { accepted: 1 }];
    }
    const spec = this.specs.get(/^deployments\/([^/]+)\/spec$/.exec(path)?.[1] ?? '');
    return spec === undefined ? [404, { detail: 'Not found.' }] : [200, spec];
  }

  async #claim(body: unknown): Promise<[number, unknown]> {
    const { instance_id: instanceId, version, holding, counts = [] } = claimRequest.parse(body);
    if (counts.length > 0 && !this.takesCounts) return [503, { detail: 'away' }];
    for (const row of counts)
      this.counts.set([instanceId, row.deployment_id, row.revision_id, row.minute].join(' '), row);
    this.claimedVersion = version;
    const open = () => [...this.#offered.values()].filter((one) => one.state !== 'ended' && !one.conflicts);
    const isHeld = ({ task, state }: Offered) => state === 'claimed' && holding.includes(task.task_id);
    if (open().every((one) => !one.cancelled && isHeld(one))) await delay(100);
    const tasks = open().filter((one) => !one.cancelled && !isHeld(one));
    this.#lastInstanceId = instanceId;
    for (const one of tasks) this.#give(one, instanceId);
    const answer = {
      tasks: tasks.map((one) => ({ ...one.task, lease_id: one.leaseId })),
      cancelled: open().flatMap((one) => (one.cancelled ? [one.task.task_id] : [])),
      poll_after_seconds: 0.1,
      ...(this.desiredChanges !== undefined && { desired_changes: this.desiredChanges }),
    };
    return [200, answer];
  }

  async #taskRoute(offered: Offered, path: string, body: unknown): Promise<[number, unknown]> {
    if (path.endsWith('/heartbeat')) {
      const { lease_id, phase } = heartbeatRequest.parse(body);
      if (offered.conflicts || lease_id !== offered.leaseId) return [409, { detail: 'lease' }];
      this.phases.push({ task_id: offered.task.task_id, phase });
      const comes = phase === 'switching' ? offered.atSwitch : undefined;
      if (comes === 'refuse') return [403, { detail: 'no switch today' }];
      offered.cancelled ||= comes === 'cancel';
      if (comes === 'cancel') await new Promise(() => undefined);
      return [200, { stop: offered.cancelled || comes === 'stop' }];
    }
    if (path.endsWith('/logs')) {
      const { lease_id, lines } = taskLogsRequest.parse(body);
      if (offered.conflicts || lease_id !== offered.leaseId) return [409, { detail: 'lease' }];
      const { task_id } = offered.task;
      this.taskLines.push(...lines.map((line) => ({ ...line, level: line.level ?? 'INFO', task_id })));
      return [200, {}];
    }
    const request = completeRequest.parse(body);
    const own = offered.cancelled && request.instance_id === offered.instanceId;
    if (offered.conflicts || (request.lease_id !== offered.leaseId && !own)) {
      return [409, { detail: 'lease' }];
    }
    offered.state = 'ended';
    this.completed.push({ ...request, task_id: offered.task.task_id });
    this.#endRow(offered.task, request);
    return [200, { accepted: true }];
  }

  #endRow(task: ListenerTask, request: CompleteRequest): void {
    const row = this.desired.get(task.deployment_id);
    if (task.kind === 'DELETE') {
      if (request.outcome === 'succeeded') this.desired.delete(task.deployment_id);
    } else if (row !== undefined) {
      row.held = false;
      row.epoch = task.epoch + 1;
      if (request.outcome === 'succeeded') row.revision_id = task.revision_id;
    }
  }

  #answerDesired(
    ifNoneMatch: string | undefined,
    named: string[] | undefined,
  ): [number, unknown, Record<string, string>?] {
    const deployments = [...this.desired.values()];
    const version = createHash('sha256').update(JSON.stringify(deployments)).digest('hex');
    const etag = `"${version}"`;
    if (ifNoneMatch === etag) return [304, undefined];
    const isAsked = ({ deployment_id }: Row) => named?.includes(deployment_id) !== false;
    return [
      200,
      { version, complete: named === undefined, deployments: deployments.filter(isAsked) },
      { etag },
    ];
  }
}

function taskFields() {
  return { task_id: randomUUID(), lease_id: randomUUID(), lease_seconds: 60 };
}
