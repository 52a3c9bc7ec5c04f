import type { DeploySpec } from '../../../contract/listener-protocol.ts';
import { type AgentFailure, describeFailure } from '../../../domain/agent-failure.ts';
import {
  type ComputeSet,
  decideRollout,
  type Goal,
  type Outcome,
  type Step,
  type Task,
} from '../../../domain/rollout.ts';
import { jittered, messageOf, pause } from '../../backoff.ts';
import type { DeployHooks, DeployResult, StatusReport } from '../../driver.ts';
import { TaskEnded } from '../../held-task.ts';
import type { Log } from '../../log.ts';
import { createMask } from '../../masking.ts';
import { Overtaken, Refused } from './api-server.ts';
import { computeSetOf, type Observed } from './observed.ts';
import { annotations } from './render/names.ts';
import type { Sets } from './sets.ts';

/** After an answer that may pass the next try waits so long, at most. */
const RETRY_MILLISECONDS_MAX = 15_000;
const RETRY_MILLISECONDS = 500;
/** What the API server refuses it refuses again: a person has to change something first. */
const REFUSED_MILLISECONDS = 60_000;
const REASON_CHARACTERS_MAX = 2_000;

type Deploying = {
  spec: DeploySpec;
  hooks: DeployHooks;
  grant: 'unasked' | 'granted' | 'refused';
  /** Whoever asked for it knows this outcome; whether it counts is known when its report was accepted. */
  outcome: Outcome | undefined;
  isAccepted: boolean;
  deadlineAt: number;
  settle: (result: DeployResult) => void;
  /** What ran before, if that is known. */
  before: DeploySpec | undefined;
};

type Parts = {
  id: string;
  sets: Sets;
  log: Log;
  startTimeoutSeconds: number;
  changed: () => void;
};

/** One deployment of the cluster: brings what is there to what shall be there, a step at a time. */
export class Deployment {
  readonly id: string;
  readonly #parts: Parts;
  readonly #closed = new AbortController();
  #wanted: DeploySpec | 'nothing' | undefined;
  #task: Deploying | undefined;
  #removed: PromiseWithResolvers<void> | undefined;
  #alsoData = false;
  #epoch: number | undefined;
  #problem: string | undefined;
  #said: string | undefined;
  #failures = 0;
  #wake = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.id = parts.id;
    this.#parts = parts;
    void this.#run();
  }

  /** Something of it has changed in the cluster. */
  wake(): void {
    this.#wake.resolve();
  }

  close(): void {
    this.#closed.abort();
    this.wake();
  }

  deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    const { promise, resolve } = Promise.withResolvers<DeployResult>();
    const before = this.#wanted === 'nothing' ? undefined : this.#wanted;
    const deadlineAt = Date.now() + this.#parts.startTimeoutSeconds * 1000;
    const task: Deploying = {
      spec,
      hooks,
      grant: 'unasked',
      outcome: undefined,
      isAccepted: false,
      deadlineAt,
      settle: resolve,
      before,
    };
    this.#task = task;
    this.#wanted = spec;
    this.#epoch = spec.epoch;
    hooks.signal.addEventListener('abort', () => this.#aborted(task));
    if (hooks.signal.aborted) this.#aborted(task);
    this.wake();
    return promise;
  }

  /** An interrupt is obeyed; a task that is another's, or that this program leaves behind, is left as it is. */
  #aborted(task: Deploying): void {
    if (this.#task !== task || task.isAccepted) return;
    const { reason: why } = task.hooks.signal;
    const isInterrupt = why instanceof TaskEnded && why.reason === 'stop';
    if (!isInterrupt) this.#leave(task);
    else if (task.outcome === undefined) task.grant = 'refused';
    this.wake();
  }

  #leave(task: Deploying): void {
    this.#finish(undefined);
    task.settle({ outcome: 'stopped' });
  }

  reported(accepted: boolean): void {
    const task = this.#task;
    if (task?.outcome === undefined) return;
    task.isAccepted = accepted;
    if (accepted && task.outcome === 'succeeded') this.#finish(task.spec);
    // What the next look at the desired state says of it counts.
    else if (!accepted) this.#finish(task.before);
    this.wake();
  }

  /** The task is over; from now on this is kept running. */
  #finish(wanted: DeploySpec | undefined): void {
    this.#task = undefined;
    this.#wanted = wanted;
    this.#parts.sets.release();
  }

  keepRunning(spec: DeploySpec): void {
    if (this.#task !== undefined) return;
    this.#wanted = spec;
    this.#epoch = Math.max(spec.epoch, this.#epoch ?? 0);
    this.wake();
  }

  /** Resolves when nothing of it is left. */
  remove(alsoData: boolean): Promise<void> {
    if (this.#task !== undefined) this.#leave(this.#task);
    this.#wanted = 'nothing';
    this.#alsoData ||= alsoData;
    this.#removed ??= Promise.withResolvers<void>();
    this.wake();
    return this.#removed.promise;
  }

  async confirm(epoch: number): Promise<void> {
    this.#epoch = epoch;
    await this.#parts.sets.noteEpoch(epoch);
    this.#parts.changed();
  }

  setAddress(url: string | null): void {
    if (this.#wanted === undefined || this.#wanted === 'nothing') return;
    this.#wanted = { ...this.#wanted, custom_url: url };
    this.wake();
  }

  /** The revision that serves or is kept running; undefined also while that is not known yet. */
  get runningRevision(): string | undefined {
    if (this.#wanted === 'nothing') return undefined;
    if (this.#task !== undefined) return this.#task.before?.revision_id;
    return this.#wanted?.revision_id;
  }

  get epoch(): number | undefined {
    return this.#epoch ?? this.#parts.sets.notedEpoch();
  }

  /** What really runs; undefined: nothing. */
  report(): StatusReport | undefined {
    const { sets } = this.#parts;
    const { service, traffic, sets: seen } = sets.observe();
    const serving = traffic === undefined ? undefined : seen.get(traffic);
    const revisionId = service?.metadata?.annotations?.[annotations.revision];
    const { epoch } = this;
    if (serving === undefined || revisionId === undefined || epoch === undefined) return undefined;
    const healthy = serving.ready > 0;
    const reason = healthy ? null : (this.#problem ?? 'No server answers GET /ok.');
    return { deployment_id: this.id, epoch, revision_id: revisionId, healthy, reason, url: sets.address() };
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      const wait = await this.#once().catch((error: unknown) => this.#failed(error));
      if (wait === 'again' || signal.aborted) continue;
      const over = new AbortController();
      const timer = wait === 'until changed' ? [] : [pause(wait, over.signal)];
      await Promise.race([this.#wake.promise, ...timer]);
      over.abort();
    }
  }

  async #once(): Promise<Next> {
    const wanted = this.#wanted;
    const isReporting = this.#task?.outcome !== undefined && !this.#task.isAccepted;
    if (wanted === undefined || isReporting) return 'until changed';
    const { sets } = this.#parts;
    if (wanted !== 'nothing') {
      sets.take(wanted, this.#task !== undefined);
      if (this.#task?.grant === 'unasked') await sets.claim();
      await sets.mend();
    }
    const seen = sets.observe();
    const failures = await this.#failuresOf(seen);
    const step = decideRollout(
      { sets: [...failures.values()], traffic: seen.traffic },
      this.#goal(wanted),
      this.#taskOf(),
      Date.now(),
    );
    const next = await this.#perform(step);
    this.#failures = 0;
    return next;
  }

  /** What is missing and why, of the set that shall serve and of the one that does. */
  async #failuresOf(seen: Observed): Promise<Map<string, ComputeSet>> {
    const { sets } = this.#parts;
    const found = new Map<string, ComputeSet>();
    for (const [key, set] of seen.sets) {
      const isMissing = set.ready < (set.deployment.spec?.replicas ?? 1);
      const counts = key === sets.key || key === seen.traffic;
      const failure = counts && isMissing ? await sets.failureOf(set) : undefined;
      found.set(key, computeSetOf(key, set, failure));
    }
    this.#note(seen.traffic === undefined ? undefined : found.get(seen.traffic));
    return found;
  }

  /** Whoever asks how it is hears of a change at once. */
  #note(serving: ComputeSet | undefined): void {
    const isUp = serving === undefined || serving.ready > 0;
    const problem = isUp ? undefined : this.#mask(reasonFor(serving.failure));
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#parts.changed();
  }

  #goal(wanted: DeploySpec | 'nothing'): Goal {
    if (wanted === 'nothing') return wanted;
    const { key, min, max, graceMilliseconds } = this.#parts.sets;
    return { key, min, max, graceMilliseconds };
  }

  #taskOf(): Task {
    if (this.#task === undefined) return undefined;
    const { grant, outcome, isAccepted, deadlineAt } = this.#task;
    return {
      grant,
      reported: isAccepted ? outcome : undefined,
      deadlineAt,
      timeoutSeconds: this.#parts.startTimeoutSeconds,
    };
  }

  async #perform(step: Step): Promise<Next> {
    const { sets } = this.#parts;
    switch (step.do) {
      case 'create':
        await sets.create(step.wanted, step.served, (note) => this.#say(note));
        return 'again';
      case 'scale':
        await sets.scale(step.key, step.wanted);
        return 'again';
      case 'revive':
        await sets.revive(step.key, step.wanted);
        return 'again';
      case 'announce':
        return this.#announce();
      case 'move':
        await sets.move(step.to, this.#epoch ?? 0);
        this.#say(`Traffic moved to set ${step.to}.`);
        this.#parts.changed();
        return 'again';
      case 'retire':
        await sets.retire(step.key);
        return 'again';
      case 'remove':
        await sets.remove(step.key);
        return 'again';
      case 'stop_traffic':
        await sets.stopTraffic();
        return 'again';
      case 'report':
        return this.#report(step);
      case 'wait':
        this.#say(step.say);
        if (this.#task?.isAccepted) return this.#rest();
        return untilTime(step.until, this.#task !== undefined);
      case 'nothing':
        return this.#rest();
    }
  }

  async #announce(): Promise<Next> {
    const task = this.#task;
    if (task === undefined) return 'again';
    const granted = await task.hooks.announceSwitch();
    // Whatever the answer: an interrupt that came with it was noted by the signal.
    if (this.#task === task && task.grant === 'unasked') task.grant = granted ? 'granted' : 'refused';
    return 'again';
  }

  #report(step: Extract<Step, { do: 'report' }>): Next {
    const task = this.#task;
    if (task === undefined) return 'until changed';
    task.outcome = step.outcome;
    task.settle(this.#resultOf(step));
    return 'until changed';
  }

  #resultOf(step: Extract<Step, { do: 'report' }>): DeployResult {
    switch (step.outcome) {
      case 'succeeded':
        return { outcome: 'succeeded', url: this.#parts.sets.address() };
      case 'stopped':
        return { outcome: 'stopped' };
      case 'failed': {
        const message = this.#mask(describeFailure(step.failure));
        return { outcome: 'failed', message, previousServing: step.previousServing };
      }
    }
  }

  /** Nothing is left to do for now. */
  async #rest(): Promise<Next> {
    const task = this.#task;
    if (task !== undefined) {
      this.#finish(task.before);
      return 'again';
    }
    if (this.#wanted !== 'nothing') return 'until changed';
    await this.#parts.sets.removeAll(this.#alsoData);
    this.#removed?.resolve();
    this.#removed = undefined;
    this.#wanted = undefined;
    return 'until changed';
  }

  async #failed(error: unknown): Promise<Next> {
    const message = this.#mask(messageOf(error));
    const task = this.#task;
    if (error instanceof Overtaken && task !== undefined) {
      this.#parts.log.warn(`deployment ${this.id}: another listener has taken it over: ${message}`);
      this.#leave(task);
      return 'until changed';
    }
    if (error instanceof Refused && task !== undefined && task.outcome === undefined) {
      task.outcome = 'failed';
      const previousServing = this.report()?.healthy === true;
      task.settle({
        outcome: 'failed',
        message: `The cluster does not take it: ${message}`,
        previousServing,
      });
      return 'until changed';
    }
    this.#problem = message.slice(0, REASON_CHARACTERS_MAX);
    this.#parts.log.warn(`deployment ${this.id}: ${message}`);
    this.#failures += 1;
    if (error instanceof Refused) return REFUSED_MILLISECONDS;
    return jittered(this.#failures, RETRY_MILLISECONDS, RETRY_MILLISECONDS_MAX);
  }

  #say(message: string | undefined): void {
    if (message === undefined || message === this.#said) return;
    this.#said = message;
    this.#task?.hooks.say(this.#mask(message));
  }

  #mask(message: string): string {
    if (this.#wanted === undefined || this.#wanted === 'nothing') return message;
    return createMask(this.#wanted.environment.map(({ value }) => value))(message);
  }
}

/** When to look again: at once, when something changes, or after so many milliseconds. */
type Next = 'again' | 'until changed' | number;

/** What the kubelet says of a server that is not ready changes without an event: while one waits it is asked. */
const ASK_MILLISECONDS = 5_000;

function untilTime(at: number | undefined, isDeploying: boolean): Next {
  const until = at === undefined ? undefined : Math.max(0, at - Date.now());
  if (isDeploying) return Math.min(ASK_MILLISECONDS, until ?? ASK_MILLISECONDS);
  return until ?? 'until changed';
}

const reasonFor = (failure: AgentFailure | undefined): string =>
  failure === undefined ? 'No server answers GET /ok.' : describeFailure(failure);
