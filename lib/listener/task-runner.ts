import type { CompleteRequest, DeployTask, ListenerTask } from '../features/listener-protocol/shape.ts';
import { messageOf, type Pause } from './backoff.ts';
import { completion, cut, failed, olderThan } from './completion.ts';
import type { ControlPlane, Lost } from './control-plane.ts';
import { type DeployResult, type Driver, reasonOf } from './driver.ts';
import { HeldTask } from './held-task.ts';
import type { Leases } from './leases.ts';
import type { Log } from './log.ts';
import type { LogShipper } from './log-shipper.ts';
import { TaskLog } from './task-log.ts';

/** Three heartbeats fit into a lease, so that two may be lost. */
const HEARTBEATS_PER_LEASE = 3;
/** The last lines of a task are waited for this long before its end is reported. */
const LOG_FLUSH_MILLISECONDS = 3000;
/** Where none was ever heard of: the nil UUID. */
const NO_LEASE = '00000000-0000-0000-0000-000000000000';

type Parts = {
  controlPlane: Pick<ControlPlane, 'heartbeat' | 'complete' | 'taskLogs'>;
  driver: Pick<Driver, 'tasksAtOnce' | 'deploy' | 'reported' | 'remove' | 'epochOf'>;
  shipper: Pick<LogShipper, 'flush' | 'push'>;
  /** Leases outlive this program: what it worked on when it died may be cancelled before it is back. */
  leases: Leases;
  log: Log;
  pause: Pause;
  /** Fires when the listener stops; nothing is sent any more. */
  stopping: AbortSignal;
  /** Claims at once, and resolves when the answer is applied. */
  claimAgain: () => Promise<void>;
  /**
   * A task has ended: what runs (of this deployment, where it is known) may be out of line with what should,
   * and there is room for another.
   */
  onEnded: (deploymentId?: string) => void;
};

/** Works on claimed tasks: heartbeats, the driver's work, the report of its end. */
export class TaskRunner {
  readonly #parts: Parts;
  readonly #held = new Map<string, HeldTask>();
  readonly #running = new Set<Promise<void>>();
  /** Cancelled tasks of which it is said that they are stopped: each once, whatever is answered. */
  readonly #acknowledged = new Set<string>();
  #working = 0;
  readonly #queue: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.stopping.addEventListener('abort', () => {
      for (const held of this.#held.values()) held.end('shutdown');
    });
  }

  /** True while a task of this deployment is worked on. */
  holds(deploymentId: string): boolean {
    return [...this.#held.values()].some(({ task }) => task.deployment_id === deploymentId);
  }

  /** What a claim need not give back: all that is worked on under leases that are not in doubt. */
  held(): string[] {
    return [...this.#held.values()].filter(({ inDoubt }) => !inDoubt).map(({ task }) => task.task_id);
  }

  /** Takes a claimed task; one that is already held only gets its new lease. */
  accept(task: ListenerTask): void {
    this.#parts.leases.keepLease(task.task_id, task.lease_id);
    const known = this.#held.get(task.task_id);
    if (known !== undefined) {
      known.leaseId = task.lease_id;
      return;
    }
    const held = new HeldTask(task, this.#parts.claimAgain);
    this.#held.set(task.task_id, held);
    this.#track(task.task_id, this.#run(held));
  }

  /**
   * Stops the work on a task. What is not worked on here was before a restart, or is one whose claim we never
   * heard the answer to: that it is stopped only remains to be said.
   */
  cancel(taskId: string): void {
    const held = this.#held.get(taskId);
    if (held !== undefined) return held.end('stop');
    if (this.#acknowledged.has(taskId)) return;
    this.#acknowledged.add(taskId);
    this.#track(taskId, this.#acknowledge(taskId));
  }

  #track(taskId: string, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#parts.log.error(`task ${taskId}: ${messageOf(error)}`))
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #acknowledge(taskId: string): Promise<void> {
    const { controlPlane, leases, log, stopping, onEnded } = this.#parts;
    // The instance alone counts: a claim may have been answered, with a lease or a newer one, while this
    // program was ended.
    const lease_id = leases.leaseOf(taskId) ?? NO_LEASE;
    const body = { lease_id, instance_id: leases.instanceId, outcome: 'stopped' } as const;
    const answer = await controlPlane.complete(taskId, body, stopping).catch((error: unknown) => {
      // The next claim names it again.
      this.#acknowledged.delete(taskId);
      throw error;
    });
    leases.forgetLease(taskId);
    // Else it had ended meanwhile.
    if (typeof answer !== 'string') log.info(`task ${taskId}: cancelled while this listener was away`);
    onEnded();
  }

  async finished(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(held: HeldTask): Promise<void> {
    const { task } = held;
    const over = new AbortController();
    const beating = this.#heartbeats(held, AbortSignal.any([over.signal, held.signal]));
    let accepted: boolean | undefined;
    try {
      await this.#enter();
      this.#parts.log.info(`task ${task.task_id}: ${task.kind} of deployment ${task.deployment_id}`);
      if (task.kind === 'DEPLOY') accepted = await this.#deploy(held, task);
      else await this.#delete(held);
    } finally {
      this.#leave();
      over.abort();
      await beating;
      this.#held.delete(task.task_id);
    }
    // The task's end raises the deployment's epoch, and what failed may have left something to bring back.
    // A deletion is rare, and a good moment to look whether anything else is to go.
    if (held.endReason !== 'shutdown')
      this.#parts.onEnded(task.kind === 'DEPLOY' ? task.deployment_id : undefined);
    if (held.endReason === 'lost' || held.endReason === 'gone') this.#parts.leases.forgetLease(task.task_id);
    if (accepted !== undefined) await this.#parts.driver.reported(task.deployment_id, accepted);
  }

  async #enter(): Promise<void> {
    if (this.#working >= this.#parts.driver.tasksAtOnce)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#working += 1;
  }

  #leave(): void {
    this.#working -= 1;
    this.#queue.shift()?.();
  }

  async #heartbeats(held: HeldTask, signal: AbortSignal): Promise<void> {
    const interval = (held.task.lease_seconds * 1000) / HEARTBEATS_PER_LEASE;
    for (;;) {
      await this.#parts.pause(interval, signal);
      if (signal.aborted) return;
      const phase = held.switched ? 'switching' : 'starting';
      const answer = await this.#beat(held, phase, signal).catch(() => undefined);
      if (answer !== undefined) this.#obey(held, answer);
    }
  }

  async #beat(
    held: HeldTask,
    phase: 'starting' | 'switching',
    signal: AbortSignal,
  ): Promise<{ stop: boolean } | Lost> {
    const { controlPlane } = this.#parts;
    const news = held.news();
    const answer = await held.underLease((lease) =>
      controlPlane.heartbeat(held.task.task_id, { lease_id: lease, phase, ...news }, signal),
    );
    held.told(news);
    return answer;
  }

  #wait(held: HeldTask, reason: string | undefined): void {
    if (!held.wait(cut(reason ?? ''))) return;
    const phase = held.switched ? 'switching' : 'starting';
    void this.#beat(held, phase, held.signal).then(
      (answer) => this.#obey(held, answer),
      // The next heartbeat has it.
      () => undefined,
    );
  }

  /** What the answer to a heartbeat demands; true when the work may go on. */
  #obey(held: HeldTask, answer: { stop: boolean } | Lost): boolean {
    if (answer === 'conflict') held.end('lost');
    else if (answer === 'gone') held.end('gone');
    else if (answer.stop) held.end('stop');
    else return true;
    return false;
  }

  /** Whether the report of its end was accepted; undefined: none was sent. */
  async #deploy(held: HeldTask, task: DeployTask): Promise<boolean | undefined> {
    const { pause, shipper } = this.#parts;
    const taskLog = this.#taskLog(held, task);
    const result = await this.#apply(held, task, taskLog);
    if (held.endReason !== undefined && held.endReason !== 'stop' && result.outcome !== 'succeeded')
      return undefined;
    if (result.outcome === 'failed') {
      // Its own output comes before the cause, which is the last line a reader sees, and quotes nothing of it
      // again.
      await Promise.race([shipper.flush(), pause(LOG_FLUSH_MILLISECONDS)]);
      taskLog.say(reasonOf(result.message), 'ERROR');
    }
    await Promise.race([taskLog.flush(), pause(LOG_FLUSH_MILLISECONDS)]);
    return this.#complete(held, completion(result));
  }

  async #apply(held: HeldTask, task: DeployTask, taskLog: TaskLog): Promise<DeployResult> {
    const { driver } = this.#parts;
    const known = driver.epochOf(task.deployment_id) ?? 0;
    if (task.epoch < known) {
      return { outcome: 'failed', message: olderThan(task.epoch, known), previousServing: true };
    }
    return driver.deploy(task, {
      signal: held.signal,
      say: (message, level) => {
        this.#parts.log.info(`${task.deployment_name}: ${message.split('\n', 1)[0]}`);
        taskLog.say(message, level);
      },
      waitsFor: (reason) => this.#wait(held, reason),
      announceSwitch: async () => {
        const answer = await this.#beat(held, 'switching', held.signal);
        held.switched = this.#obey(held, answer);
        return held.switched;
      },
    });
  }

  #taskLog(held: HeldTask, task: DeployTask): TaskLog {
    const { controlPlane, pause, shipper, stopping } = this.#parts;
    return new TaskLog(
      async (lines) => {
        const answer = await held.underLease((lease) =>
          controlPlane.taskLogs(task.task_id, { lease_id: lease, lines }, stopping),
        );
        return answer === 'accepted';
      },
      (line) => shipper.push(task.deployment_id, task.revision_id, line),
      pause,
    );
  }

  /**
   * What was applied under a later epoch is not touched; the control plane hears so, and asks again under a
   * newer one if it means it.
   */
  async #delete(held: HeldTask): Promise<void> {
    const { driver } = this.#parts;
    const { deployment_id: deploymentId, epoch } = held.task;
    const isAtOnce = held.task.kind === 'DELETE' && held.task.delete_data === true;
    const fate = isAtOnce ? 'deleted-at-once' : 'deleted';
    const known = driver.epochOf(deploymentId) ?? 0;
    const failure =
      epoch < known
        ? olderThan(epoch, known)
        : await driver.remove(deploymentId, epoch, fate).then(() => undefined, messageOf);
    if (failure !== undefined)
      this.#parts.log.error(`deployment ${deploymentId} could not be removed: ${failure}`);
    await this.#complete(held, failure === undefined ? { outcome: 'succeeded' } : failed(failure));
  }

  /** Whether the report was accepted. */
  async #complete(held: HeldTask, body: Omit<CompleteRequest, 'lease_id'>): Promise<boolean> {
    const { controlPlane, leases, log, stopping } = this.#parts;
    const { task_id: taskId } = held.task;
    const answer = await held
      .underLease((lease) => controlPlane.complete(taskId, { ...body, lease_id: lease }, stopping))
      .catch((error: unknown) => {
        log.error(`task ${taskId}: its end could not be reported: ${messageOf(error)}`);
      });
    if (answer === undefined) return false;
    leases.forgetLease(taskId);
    const accepted = typeof answer !== 'string' && answer.accepted;
    const text = typeof answer === 'string' ? answer : accepted ? 'accepted' : 'it had ended before';
    log.info(`task ${taskId}: ${body.outcome} (${text})`);
    return accepted;
  }
}
