import type { DeploySpec } from '../../contract/listener-protocol.ts';
import { describeFailure } from '../../domain/agent-failure.ts';
import { allTo, type ComputeSet, decideRollout, type Goal, mainOf, type Step } from '../../domain/rollout.ts';
import { jittered, messageOf } from '../../listener/backoff.ts';
import type { DeployHooks, DeployResult, StatusReport } from '../../listener/driver.ts';
import type { Log } from '../../listener/log.ts';
import { Overtaken, Refused } from './api-server.ts';
import { Deploying, maskOf } from './deploying.ts';
import { noted } from './noted.ts';
import { computeSetOf, type Observed } from './observed.ts';
import { annotations } from './render/names.ts';
import type { Sets } from './sets.ts';
import { type Next, Stepper } from './stepper.ts';

/** After an answer that may pass the next try waits so long, at most. */
const RETRY_MILLISECONDS_MAX = 15_000;
const RETRY_MILLISECONDS = 500;
/** What the API server refuses it refuses again: a person has to change something first. */
const REFUSED_MILLISECONDS = 60_000;
const REASON_CHARACTERS_MAX = 2_000;
/** What the kubelet says of a server that is not ready changes without an event: while one waits it is asked. */
const ASK_MILLISECONDS = 5_000;
const SILENT = 'No server answers GET /ok.';

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
export class Deployment {
  readonly id: string;
  readonly #parts: Parts;
  readonly #stepper: Stepper;
  /** Undefined: that is not known yet, and what is there stays as it is. */
  #wanted: DeploySpec | 'nothing' | undefined;
  #task: Deploying | undefined;
  #removed: PromiseWithResolvers<void> | undefined;
  #alsoData = false;
  #epoch: number | undefined;
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
    const task = new Deploying(spec, hooks, before, this.#parts.startTimeoutSeconds);
    this.#task = task;
    this.#wanted = spec;
    this.#epoch = spec.epoch;
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
    return this.#epoch ?? this.#parts.sets.notedEpoch();
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
    if (wanted !== 'nothing') {
      await this.#parts.prepare(wanted);
      // Meanwhile something else may be wanted.
      if (wanted !== this.#wanted) return 'again';
      sets.take(wanted, this.#task !== undefined);
      if (this.#task?.isUnasked) await sets.claim();
      await sets.mend();
      for (const note of sets.wayIn.takeNotes()) this.#task?.say(note);
    }
    const seen = sets.observe();
    const known = await this.#setsOf(seen);
    if (wanted !== this.#wanted) return 'again';
    const now = { sets: known, traffic: seen.traffic === undefined ? [] : allTo(seen.traffic) };
    const next = await this.#perform(decideRollout(now, this.#goalOf(wanted), this.#task?.task, Date.now()));
    this.#failures = 0;
    return next;
  }

  /** What is there, with why servers are missing of the set that shall serve and of the one that does. */
  async #setsOf(seen: Observed): Promise<ComputeSet[]> {
    const { sets } = this.#parts;
    const found: ComputeSet[] = [];
    for (const [key, set] of seen.sets) {
      const isMissing = set.ready < (set.deployment.spec?.replicas ?? 1);
      const counts = key === sets.key || key === seen.traffic;
      found.push(computeSetOf(key, set, counts && isMissing ? await sets.failureOf(set) : undefined));
    }
    this.#note(found.find(({ key }) => key === seen.traffic));
    return found;
  }

  /** Whoever asks how it is hears of a change at once. */
  #note(serving: ComputeSet | undefined): void {
    const isUp = serving === undefined || serving.ready > 0;
    const why = serving?.failure === undefined ? SILENT : describeFailure(serving.failure);
    const problem = isUp ? undefined : this.#mask(why).slice(0, REASON_CHARACTERS_MAX);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#parts.changed();
  }

  #goalOf(wanted: DeploySpec | 'nothing'): Goal {
    return wanted === 'nothing' ? wanted : this.#parts.sets.goal;
  }

  async #perform(step: Step): Promise<Next> {
    const { sets } = this.#parts;
    switch (step.do) {
      case 'wait':
        this.#task?.waits(step.say);
        return this.#task?.isAccepted ? this.#rest() : this.#until(step.until);
      case 'nothing':
        return this.#rest();
      case 'announce':
        return (await this.#task?.announce(sets.wayIn.hindrance())) ?? 'again';
      case 'report':
        this.#task?.report(step, sets.address(), sets.wayIn.hindrance()?.why);
        return 'until changed';
      default:
        await this.#change(step);
        return 'again';
    }
  }

  async #change(step: Exclude<Step, { do: 'wait' | 'nothing' | 'announce' | 'report' }>): Promise<void> {
    const { sets, changed } = this.#parts;
    switch (step.do) {
      case 'create':
        return sets.create(step.wanted, step.served, (note) => this.#task?.say(note));
      case 'scale':
        return sets.scale(step.key, step.wanted);
      case 'revive':
        return sets.revive(step.key, step.wanted);
      case 'move':
        await sets.move(mainOf(step.to) ?? '', this.#epoch ?? 0);
        this.#task?.say(`Traffic moved to set ${mainOf(step.to)}.`);
        return changed();
      case 'retire':
        return sets.retire(step.key);
      case 'remove':
        return sets.remove(step.key);
      case 'stop_traffic':
        return sets.stopTraffic();
    }
  }

  #until(at: number | undefined): Next {
    const left = at === undefined ? undefined : Math.max(0, at - Date.now());
    if (this.#task === undefined) return left ?? 'until changed';
    return Math.min(ASK_MILLISECONDS, left ?? ASK_MILLISECONDS);
  }

  /** Nothing is left to do for now. */
  async #rest(): Promise<Next> {
    if (this.#task !== undefined) {
      // What ran before may not be known, but it would be seen.
      if (this.#task.before === undefined) await this.#parts.sets.removeUnused();
      this.#finish(this.#task.before);
      return 'again';
    }
    if (this.#wanted !== 'nothing') return 'until changed';
    await this.#parts.sets.removeAll(this.#alsoData);
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
