import { ApiError } from '../../../lib/contract/errors.ts';
import type { Caller } from '../../../lib/core/caller.ts';
import { claimTasks } from '../../../lib/features/listener-protocol/claim.ts';
import { completeTask } from '../../../lib/features/listener-protocol/complete.ts';
import { heartbeatTask } from '../../../lib/features/listener-protocol/heartbeat.ts';
import type { ClaimResponse } from '../../../lib/features/listener-protocol/shape.ts';
import type { Pause } from '../../../lib/listener/backoff.ts';
import { ClaimLoop } from '../../../lib/listener/claim-loop.ts';
import type { ControlPlane, Lost } from '../../../lib/listener/control-plane.ts';
import { createLog } from '../../../lib/listener/log.ts';
import { TaskRunner } from '../../../lib/listener/task-runner.ts';
import type { SimulatedDeps } from '../deps.ts';
import type { Ground } from '../ground.ts';
import type { SocketService } from '../services/sockets.ts';
import type { Item } from '../table/expressions.ts';
import type { MemoryTable } from '../table/memory-table.ts';
import { NOTHING } from '../virtual-time.ts';
import { SimulatedDoorbell } from './doorbell.ts';
import { SimulatedDriver } from './driver.ts';

/** Asks the control plane; rejects when no answer comes, and with what it refuses. */
export type Api = <T>(name: string, run: (deps: SimulatedDeps) => Promise<T>) => Promise<T>;

type Applied = Map<string, { revisionId: string | undefined; epoch: number }>;
export type ListenerOptions = {
  instanceId: string;
  listenerId: string;
  caller: Caller;
  slow: boolean;
  api: Api;
  table: MemoryTable;
  sockets: SocketService;
};

type Asks = Pick<ControlPlane, 'claim' | 'heartbeat' | 'complete' | 'taskLogs'>;

const SILENT_LOG = createLog('error', () => undefined);
const RETRY_MILLISECONDS_MAX = 15_000;
const QUIET_MILLISECONDS = 15_000;
const IDLE_POLL_SECONDS = 5;

/**
 * A listener's program: its real loops over a network and a machine that can stand still, and a disk that
 * outlives it.
 */
export class SimulatedListener {
  readonly #ground: Ground;
  readonly #options: ListenerOptions;
  readonly #leases = new Map<string, string>();
  readonly #applied: Applied = new Map();
  /** When a claim was last answered; epoch milliseconds. */
  #claimedAt = 0;
  /** The doorbell that it was offered last. */
  #offered: Pick<ClaimResponse, 'doorbell'> | undefined;
  /** What each task is of. */
  readonly #revisions = new Map<string, string>();
  /** Ends the program that runs. */
  #program = new AbortController();
  /** Until then nothing of it goes on. */
  #frozenUntil = 0;

  constructor(ground: Ground, options: ListenerOptions) {
    this.#ground = ground;
    this.#options = options;
  }

  start(): void {
    const program = new AbortController();
    this.#program = program;
    const { instanceId, slow } = this.#options;
    const controlPlane = this.#controlPlane(program.signal);
    const pause: Pause = (milliseconds, signal) => this.#wait(milliseconds, program.signal, signal);
    const leases = {
      instanceId,
      leaseOf: (taskId: string) => this.#leases.get(taskId),
      keepLease: (taskId: string, leaseId: string) => void this.#leases.set(taskId, leaseId),
      forgetLease: (taskId: string) => void this.#leases.delete(taskId),
    };
    const machine = { wait: (milliseconds: number) => this.#wait(milliseconds, program.signal) };
    const driver = new SimulatedDriver(this.#ground, machine, { applied: this.#applied, slow });
    const tasks: TaskRunner = new TaskRunner({
      controlPlane,
      driver,
      shipper: { flush: async () => undefined, push: () => undefined },
      leases,
      log: SILENT_LOG,
      pause,
      stopping: program.signal,
      claimAgain: () => claims.again(),
      onEnded: () => claims.wake(),
    });
    const doorbell = new SimulatedDoorbell(this.#ground, {
      ...this.#options,
      program: program.signal,
      wake: () => claims.wake(),
    });
    const claims: ClaimLoop = new ClaimLoop({
      controlPlane,
      doorbell,
      log: SILENT_LOG,
      pause,
      instanceId,
      version: '1',
      tasksAtOnce: driver.tasksAtOnce,
      holding: () => tasks.held(),
      counts: { due: () => [], settle: async () => undefined },
      unmeasured: () => [],
      onAnswer: (answer) => {
        for (const task of answer.tasks) tasks.accept(task);
        for (const taskId of answer.cancelled) tasks.cancel(taskId);
      },
    });
    void claims.run(program.signal);
  }

  /** Ends the program in the middle of what it does, and starts it again. */
  restart(downMilliseconds: number): void {
    this.#program.abort();
    this.#noteAway();
    const ended = this.#program;
    this.#ground.time.after(downMilliseconds, () => {
      if (this.#program === ended) this.start();
    });
  }

  /** Stands still, as a machine that sleeps: what would have been done meanwhile is done late. */
  freeze(milliseconds: number): void {
    const { time } = this.#ground;
    this.#frozenUntil = Math.max(this.#frozenUntil, time.now + milliseconds);
    this.#noteAway();
  }

  stop(): void {
    this.#program.abort();
  }

  #noteAway(): void {
    const { calls, claims } = this.#ground.facts;
    for (const each of [calls, claims]) each.noteAway();
  }

  /** Never resolves in a program that has ended. */
  #wait(milliseconds: number, program: AbortSignal, early?: AbortSignal): Promise<void> {
    const { time } = this.#ground;
    return new Promise((resolve) => {
      let isOver = false;
      const wake = () => {
        if (isOver || program.aborted) return NOTHING;
        early?.removeEventListener('abort', wake);
        if (time.now < this.#frozenUntil) return time.after(this.#frozenUntil - time.now, wake);
        isOver = true;
        return resolve();
      };
      early?.addEventListener('abort', wake, { once: true });
      if (early?.aborted === true) wake();
      else time.after(milliseconds, wake);
    });
  }

  /** Asks until there is an answer, as the HTTP client of the listener does. */
  async #ask<T>(
    name: string,
    program: AbortSignal,
    run: (deps: SimulatedDeps) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | Lost> {
    const { faults, facts, time, random } = this.#ground;
    const heard = name === 'claim' ? [facts.calls, facts.claims] : [facts.calls];
    for (;;) {
      signal?.throwIfAborted();
      if (time.now < this.#frozenUntil) await this.#wait(0, program);
      for (const each of heard) each.noteTry(time.now);
      try {
        const answer = await this.#options.api(`${name} of ${this.#options.instanceId}`, run);
        for (const each of heard) each.noteHeard(time.now);
        await this.#wait(random.between(1, 20), program);
        if (!faults.chance(0.01)) return answer;
      } catch (error) {
        await this.#wait(random.between(1, 20), program);
        if (error instanceof ApiError && error.status === 409) return 'conflict';
        if (error instanceof ApiError && error.status === 404) return 'gone';
      }
      signal?.throwIfAborted();
      await this.#pauseBeforeRetry(program, signal);
    }
  }

  async #pauseBeforeRetry(program: AbortSignal, signal: AbortSignal | undefined): Promise<void> {
    const { faults, time, random } = this.#ground;
    // Whatever is asked meanwhile gets no answer: a day of that would be nothing but this.
    const left = faults.downUntil - time.now;
    const longest = left > 0 ? RETRY_MILLISECONDS_MAX : RETRY_MILLISECONDS_MAX / 3;
    await this.#wait(Math.max(0, left) + random.next() * longest, program, signal);
  }

  /**
   * A claim would be answered with nothing, and it is not long since one was: most are such, and a run would
   * be of little else.
   */
  #hearsNothing(holding: string[]): boolean {
    if (this.#ground.time.now - this.#claimedAt > QUIET_MILLISECONDS) return false;
    const { caller, listenerId, instanceId, table } = this.#options;
    const partition = table.partitions.get(`T#${caller.tenantId}#L#${listenerId}`) ?? new Map<string, Item>();
    return [...partition.values()].every(({ entity, state, id, instance_id: slotRevision }) => {
      const isHeld = state === 'claimed' && holding.includes(String(id));
      return entity !== 'task' || isHeld || (state !== 'offered' && slotRevision !== instanceId);
    });
  }

  #controlPlane(program: AbortSignal): Asks {
    const { caller, listenerId, instanceId } = this.#options;
    const { facts, time } = this.#ground;
    const place = (taskId: string) => ({ params: { listener_id: listenerId, task_id: taskId } });
    const ask = <T>(name: string, run: (deps: SimulatedDeps) => Promise<T>, signal: AbortSignal) =>
      orAborted(this.#ask(name, program, run, signal), signal);
    return {
      claim: async ({ max, holding, wait_seconds, doorbell }, signal) => {
        const body = { instance_id: instanceId, max, holding, wait_seconds, doorbell };
        const asked = { params: { listener_id: listenerId }, body };
        if (doorbell !== true && this.#hearsNothing(holding))
          return { tasks: [], cancelled: [], poll_after_seconds: IDLE_POLL_SECONDS, ...this.#offered };
        const answer = await ask('claim', (deps) => claimTasks(deps, asked, caller), signal);
        if (typeof answer === 'string') throw new Error(`claim: ${answer}`);
        this.#claimedAt = time.now;
        this.#offered = answer.doorbell && { doorbell: { ...answer.doorbell, rings: false } };
        for (const task of answer.tasks)
          if (task.kind === 'DEPLOY') this.#revisions.set(task.task_id, task.revision_id);
        return answer;
      },
      heartbeat: (taskId, body, signal) => {
        const run = async (deps: SimulatedDeps) => {
          const answer = await heartbeatTask(deps, { ...place(taskId), body }, caller);
          const revisionId = this.#revisions.get(taskId);
          if (body.phase === 'switching' && !answer.stop && revisionId !== undefined)
            facts.switched.add(revisionId);
          return answer;
        };
        return ask('heartbeat', run, signal);
      },
      complete: (taskId, body, signal) => {
        const run = async (deps: SimulatedDeps) => {
          const answer = await completeTask(deps, { ...place(taskId), body }, caller);
          const revisionId = this.#revisions.get(taskId);
          if (body.outcome === 'succeeded' && answer.accepted && revisionId !== undefined)
            facts.acceptedSuccess.add(revisionId);
          return answer;
        };
        return ask('complete', run, signal);
      },
      taskLogs: async () => 'accepted',
    };
  }
}

/** What is given up rejects at once; its request goes on. */
function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    answer.then(resolve, reject);
  });
}
