import { describeFailure } from '../../domain/agent-failure.ts';
import { type ComputeSet, type Goal, mainOf } from '../../domain/rollout.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import { jittered, messageOf } from '../../listener/backoff.ts';
import type { DeployHooks, DeployResult, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import type { Plan } from '../port.ts';
import { advance, type Coordinator, type Look, REASON_CHARACTERS_MAX, SILENT } from '../runner.ts';
import { Overtaken, Refused } from './api-server.ts';
import { Deploying, maskOf } from './deploying.ts';
import { noted } from './noted.ts';
import { checkSets } from './release-check.ts';
import { annotations } from './render/names.ts';
import type { Sets } from './sets.ts';
import { type Next, Stepper } from './stepper.ts';

/** After an answer that may pass the next try waits so long, at most. */
const RETRY_MILLISECONDS_MAX = 15_000;
const RETRY_MILLISECONDS = 500;
/** What the API server refuses it refuses again: a person has to change something first. */
const REFUSED_MILLISECONDS = 60_000;
/** What the kubelet says of a server that is not ready changes without an event: while one waits it is asked. */
const ASK_MILLISECONDS = 5_000;

type Parts = {
  id: string;
  sets: Sets;
  log: Log;
  startTimeoutSeconds: number;
  changed: () => void;
  /** Resolves when what its pods need of others is there. */
  prepare: (spec: DeploySpec) => Promise<void>;
};

/** One deployment of the cluster: brings what is there to what shall be there, a step at a time. */
export class ClusterDeployment {
  readonly id: string;
  readonly #parts: Parts;
  readonly #stepper: Stepper;
  /** Undefined: that is not known yet, and what is there stays as it is. */
  #wanted: DeploySpec | 'nothing' | undefined;
  #task: Deploying | undefined;
  #removed: PromiseWithResolvers<void> | undefined;
  #alsoData = false;
  #problem: string | undefined;
  #failures = 0;

  constructor(parts: Parts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#stepper = new Stepper(() => this.#look().catch((error: unknown) => this.#failed(error)));
  }

  /** Something of it has changed in the cluster. */
  wake(): void {
    this.#stepper.wake();
  }

  close(): void {
    this.#stepper.close();
  }

  deploy(spec: DeploySpec, hooks: DeployHooks): Promise<DeployResult> {
    const before = this.#wanted === 'nothing' ? undefined : this.#wanted;
    const seconds = spec.health_check?.timeout_seconds ?? this.#parts.startTimeoutSeconds;
    const task = new Deploying(spec, hooks, before, seconds);
    this.#task = task;
    this.#wanted = spec;
    this.#parts.sets.epoch = spec.epoch;
    hooks.signal.addEventListener('abort', () => this.#aborted(task));
    if (hooks.signal.aborted) this.#aborted(task);
    this.wake();
    return task.result;
  }

  #aborted(task: Deploying): void {
    if (this.#task !== task || task.isAccepted) return;
    if (Deploying.isInterrupt(task.hooks)) task.refuse();
    else this.#leave(task);
    this.wake();
  }

  #leave(task: Deploying): void {
    this.#finish(undefined);
    task.leave();
  }

  /** The task is over; from now on this is kept running. */
  #finish(wanted: DeploySpec | undefined): void {
    this.#task = undefined;
    this.#wanted = wanted;
    this.#parts.sets.release();
  }

  reported(accepted: boolean): void {
    const task = this.#task;
    if (task?.outcome === undefined) return;
    // Not accepted: what the next look at the desired state says counts.
    if (!accepted) this.#finish(task.before);
    else if (task.outcome === 'succeeded') this.#finish(task.spec);
    else task.accept();
    this.wake();
  }

  keepRunning(spec: DeploySpec): void {
    if (this.#task !== undefined) return;
    this.#wanted = spec;
    const { sets } = this.#parts;
    sets.epoch = Math.max(spec.epoch, sets.epoch ?? 0);
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
    const { sets } = this.#parts;
    sets.epoch = epoch;
    await sets.noteEpoch(epoch);
    this.#parts.changed();
  }

  setAddress(url: string | null): void {
    if (this.#wanted === undefined || this.#wanted === 'nothing' || this.#wanted.custom_url === url) return;
    this.#wanted = { ...this.#wanted, custom_url: url };
    this.wake();
  }

  /** The revision that serves or is kept running; undefined also while that is not known yet. */
  get runningRevision(): string | undefined {
    if (this.#wanted === 'nothing') return undefined;
    return this.#task === undefined ? this.#wanted?.revision_id : this.#task.before?.revision_id;
  }

  get epoch(): number | undefined {
    const { sets } = this.#parts;
    return sets.epoch ?? sets.notedEpoch();
  }

  /** What really runs; undefined: nothing. */
  report(): StatusReport | undefined {
    const { sets } = this.#parts;
    const { service, traffic, sets: seen } = sets.observe();
    const serving = traffic === undefined ? undefined : seen.get(traffic);
    const revisionId = noted(service, annotations.revision);
    const { epoch } = this;
    if (serving === undefined || revisionId === undefined || epoch === undefined) return undefined;
    const healthy = serving.ready > 0;
    const reason = healthy ? null : (this.#problem ?? SILENT);
    return { deployment_id: this.id, epoch, revision_id: revisionId, healthy, reason, url: sets.address() };
  }

  async #look(): Promise<Next> {
    const wanted = this.#wanted;
    if (wanted === undefined || this.#task?.isReporting) return 'until changed';
    const { sets } = this.#parts;
    let plan: Plan | 'nothing' = 'nothing';
    if (wanted !== 'nothing') {
      await this.#parts.prepare(wanted);
      // Meanwhile something else may be wanted.
      if (wanted !== this.#wanted) return 'again';
      plan = sets.take(wanted, this.#task !== undefined);
      if (this.#task?.isUnasked) await sets.claim();
      await sets.mend();
      for (const note of sets.wayIn.takeNotes()) this.#task?.say(note);
    }
    const next = await advance(sets, this.#coordinatorFor(wanted, plan));
    this.#failures = 0;
    return next === 'later' ? RETRY_MILLISECONDS : next;
  }

  /** Its part in each step: what a task asks and says, and what it comes to. */
  #coordinatorFor(wanted: DeploySpec | 'nothing', plan: Plan | 'nothing'): Coordinator<Plan, Next> {
    const { sets } = this.#parts;
    const task = this.#task;
    // A step is for what was looked at: neither it nor what it reports is another task's.
    const isCurrent = () => wanted === this.#wanted && task === this.#task;
    return {
      now: () => Date.now(),
      plan: async () => plan,
      onLook: async (look) => {
        await this.#note(look);
        return isCurrent() ? undefined : 'again';
      },
      task: () => task?.task,
      mayChange: async () => (isCurrent() ? 'go' : 'again'),
      announce: async ({ goal }) => {
        if (!isCurrent() || task === undefined || goal === 'nothing') return 'again';
        const { spec, hooks } = task;
        const check = () => checkSets(() => sets.observe(), goal.key, spec, hooks);
        return task.announce(sets.wayIn.hindrance(), check, () => this.report()?.healthy === true);
      },
      report: async (step) => {
        if (!isCurrent()) return 'again';
        task?.report(step, sets.address(), sets.wayIn.hindrance()?.why);
        return 'until changed';
      },
      idle: async (_, until, why) => (isCurrent() ? this.#idle(until, why) : 'again'),
      say: (line) => task?.say(line),
    };
  }

  /** Whoever asks how it is hears of a change at once. */
  async #note({ seen: { sets, traffic }, goal }: Look<Plan>): Promise<void> {
    const serving = sets.find(({ key }) => key === mainOf(traffic));
    const problem = serving === undefined || serving.ready > 0 ? undefined : await this.#why(serving, goal);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#parts.changed();
  }

  /** Why nothing answers. The look has asked it of the set that shall serve. */
  async #why({ key, failure: known }: ComputeSet, goal: Goal): Promise<string> {
    const isAsked = goal !== 'nothing' && goal.key === key;
    const failure = isAsked ? known : await this.#parts.sets.failureOf(key);
    const why = failure === undefined ? SILENT : describeFailure(failure);
    return this.#mask(why).slice(0, REASON_CHARACTERS_MAX);
  }

  /** Nothing is left to do until then, or until something changes. */
  async #idle(until: number | undefined, why: string | undefined): Promise<Next> {
    const left = until === undefined ? undefined : Math.max(0, until - Date.now());
    const { sets } = this.#parts;
    if (this.#task?.isAccepted === false) {
      this.#task.waits(why);
      return Math.min(ASK_MILLISECONDS, left ?? ASK_MILLISECONDS);
    }
    if (this.#task !== undefined) {
      // What ran before may not be known, but it would be seen.
      if (this.#task.before === undefined) await sets.removeUnused();
      this.#finish(this.#task.before);
      return 'again';
    }
    if (this.#wanted !== 'nothing') return left ?? 'until changed';
    await sets.removeAll(this.#alsoData);
    this.#removed?.resolve();
    this.#removed = undefined;
    this.#wanted = undefined;
    return 'until changed';
  }

  #failed(error: unknown): Next {
    const message = this.#mask(messageOf(error)).slice(0, REASON_CHARACTERS_MAX);
    const task = this.#task;
    const { log } = this.#parts;
    log.warn(`deployment ${this.id}: ${message}`);
    if (error instanceof Overtaken && task !== undefined) {
      log.warn(`deployment ${this.id}: another listener has taken its task over`);
      this.#leave(task);
      return 'until changed';
    }
    if (error instanceof Refused && task !== undefined && task.outcome === undefined) {
      task.fail(`The cluster does not take it: ${message}`, this.report()?.healthy === true);
      return 'until changed';
    }
    this.#problem = message;
    this.#failures += 1;
    if (error instanceof Refused) return REFUSED_MILLISECONDS;
    return jittered(this.#failures, RETRY_MILLISECONDS, RETRY_MILLISECONDS_MAX);
  }

  #mask(message: string): string {
    if (this.#wanted === undefined || this.#wanted === 'nothing') return message;
    return maskOf(this.#wanted)(message);
  }
}
