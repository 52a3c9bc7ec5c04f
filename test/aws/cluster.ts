import type {
  ClaimResponse,
  CompleteRequest,
  DeployTask,
  DesiredResponse,
  HeartbeatRequest,
  ListenerTask,
} from '../../lib/features/listener-protocol/shape.ts';
import { expectApi } from '../support/programs/program.ts';
import { until } from '../support/until.ts';
import type { Deployed, Registered } from './installation.ts';

type DeleteTask = Extract<ListenerTask, { kind: 'DELETE' }>;

/** A task is offered within seconds; a first call of a function takes one. */
export const OFFER_TIMEOUT_MS = 240_000;

/**
 * A listener of a cluster, by its protocol alone: claims when the test says so, and completes with what the
 * test says.
 */
export class Cluster {
  readonly #asListener: Deployed;
  readonly #path: string;
  readonly #claimed = new Map<string, ListenerTask>();

  constructor(deployed: Deployed, { id, apiKey }: Registered) {
    this.#asListener = { ...deployed, apiKey };
    this.#path = `/v2/listeners/${id}`;
  }

  /** Asks until there is a task of this revision. `version`: what the listener says of itself. */
  async claim(revisionId: string, version?: string): Promise<DeployTask> {
    const body = { instance_id: 'one', max: 10, version };
    const claimed = async () => {
      const { tasks } = await this.#post<ClaimResponse>('/tasks/claim', body);
      return tasks.find((task): task is DeployTask => task.revision_id === revisionId);
    };
    return until(claimed, { timeoutMs: OFFER_TIMEOUT_MS, what: `a task of revision ${revisionId}` });
  }

  /**
   * The task to remove this deployment, if there is one now. What was claimed on the way there and is
   * cancelled by now has stopped.
   */
  async deletionOf(deploymentId: string): Promise<DeleteTask | undefined> {
    const body = { instance_id: 'one', max: 10 };
    const { tasks, cancelled } = await this.#post<ClaimResponse>('/tasks/claim', body);
    for (const task of tasks) this.#claimed.set(task.task_id, task);
    for (const task of cancelled.flatMap((id) => this.#claimed.get(id) ?? []))
      await this.complete(task, 'stopped');
    return tasks.find(
      (task): task is DeleteTask => task.kind === 'DELETE' && task.deployment_id === deploymentId,
    );
  }

  /** The revisions of the tasks that it may take now; it takes them. */
  async offered(): Promise<(string | null)[]> {
    const { tasks } = await this.#post<ClaimResponse>('/tasks/claim', { instance_id: 'one', max: 10 });
    return tasks.map(({ revision_id }) => revision_id);
  }

  /** The tasks to stop. */
  async cancelled(): Promise<string[]> {
    return (await this.#post<ClaimResponse>('/tasks/claim', { instance_id: 'one' })).cancelled;
  }

  /** Says how many requests came in this minute. */
  async count({ deployment_id, revision_id }: DeployTask, all: number): Promise<void> {
    const minute = Math.floor(Date.now() / 60_000);
    const counts = [{ deployment_id, revision_id, minute, requests: { all } }];
    await this.#post<ClaimResponse>('/tasks/claim', { instance_id: 'one', counts });
  }

  heartbeat(
    { task_id: task, lease_id }: DeployTask,
    phase: HeartbeatRequest['phase'] = 'switching',
    more: Pick<HeartbeatRequest, 'status_message'> = {},
  ): Promise<{ stop: boolean }> {
    return this.#post(`/tasks/${task}/heartbeat`, { lease_id, phase, ...more });
  }

  /** What should run of a deployment, if the listener has to do with it. */
  async desired(deploymentId: string): Promise<DesiredResponse['deployments'][number] | undefined> {
    const path = `${this.#path}/desired`;
    const answer = await expectApi<DesiredResponse>(this.#asListener, 'GET', path, undefined, 200);
    return answer.deployments.find(({ deployment_id }) => deployment_id === deploymentId);
  }

  /** Says that nothing of the deployment runs, in so many reports of one request. */
  async reportNothing(deployment_id: string, epoch: number, times = 1): Promise<void> {
    const report = { deployment_id, epoch, revision_id: null, healthy: true };
    await this.#post('/status', { reports: Array.from({ length: times }, () => report) });
  }

  /** Says how many threads wait in a revision of a deployment that runs. */
  async reportWaiting(
    { deployment_id, revision_id, epoch }: DeployTask,
    waitingIn: string,
    waiting: number,
  ): Promise<void> {
    const oldest_at = waiting === 0 ? null : new Date().toISOString();
    const threads = waiting === 0 ? [] : [{ revision_id: waitingIn, runs: 0, waiting, oldest_at }];
    const report = { deployment_id, epoch, revision_id, healthy: true, threads };
    await this.#post('/status', { reports: [report] });
  }

  async log({ task_id: task, lease_id }: DeployTask, message: string): Promise<void> {
    await this.#post(`/tasks/${task}/logs`, { lease_id, lines: [{ timestamp: Date.now(), message }] });
  }

  complete(
    { task_id: task, lease_id }: ListenerTask,
    outcome: CompleteRequest['outcome'],
    more: Partial<CompleteRequest> = {},
  ): Promise<{ accepted: boolean }> {
    return this.#post(`/tasks/${task}/complete`, { lease_id, outcome, ...more });
  }

  #post<T>(path: string, body: object): Promise<T> {
    return expectApi<T>(this.#asListener, 'POST', this.#path + path, body, 200);
  }
}
