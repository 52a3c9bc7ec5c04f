import { createMask, type Mask } from '../../contract/mask.ts';
import { describeFailure } from '../../domain/agent-failure.ts';
import type { Task, TaskOutcome } from '../../domain/rollout.ts';
import type { DeploySpec } from '../../features/listener-protocol/shape.ts';
import type { DeployHooks, DeployResult } from '../../listener/driver.ts';
import { TaskEnded } from '../../listener/held-task.ts';
import type { ReportStep } from '../runner.ts';
import type { checkSets } from './release-check.ts';
import type { Next } from './stepper.ts';
import type { Hindrance } from './way-in.ts';

/** Hides the values of its secrets. */
export const maskOf = ({ environment }: DeploySpec): Mask =>
  createMask(environment.map(({ value }) => value));

type ReleaseCheck = NonNullable<Awaited<ReturnType<typeof checkSets>>>;

/** A DEPLOY task that is worked on. */
export class Deploying {
  readonly spec: DeploySpec;
  readonly hooks: DeployHooks;
  /** What ran before, if that is known. */
  readonly before: DeploySpec | undefined;
  readonly result: Promise<DeployResult>;
  readonly #timeoutSeconds: number;
  readonly #deadlineAt: number;
  readonly #settle: (result: DeployResult) => void;
  #grant: 'unasked' | 'granted' | 'refused' = 'unasked';
  #outcome: TaskOutcome | undefined;
  #isAccepted = false;
  readonly #mask: Mask;
  #said: string | undefined;
  /** What waits where this revision has no node. */
  #lost: string | undefined;

  constructor(spec: DeploySpec, hooks: DeployHooks, before: DeploySpec | undefined, timeoutSeconds: number) {
    this.spec = spec;
    this.hooks = hooks;
    this.before = before;
    this.#timeoutSeconds = timeoutSeconds;
    this.#mask = maskOf(spec);
    this.#deadlineAt = Date.now() + timeoutSeconds * 1000;
    const { promise, resolve } = Promise.withResolvers<DeployResult>();
    this.result = promise;
    this.#settle = resolve;
  }

  /** As the rule knows it: an outcome counts when its report was accepted. */
  get task(): Task {
    return {
      grant: this.#grant,
      reported: this.#isAccepted ? this.#outcome : undefined,
      deadlineAt: this.#deadlineAt,
      timeoutSeconds: this.#timeoutSeconds,
    };
  }

  get isUnasked(): boolean {
    return this.#grant === 'unasked';
  }

  /** Its outcome is on its way to the control plane. */
  get isReporting(): boolean {
    return this.#outcome !== undefined && !this.#isAccepted;
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  get outcome(): TaskOutcome | undefined {
    return this.#outcome;
  }

  /** A person has interrupted it. Anything else that ends it early leaves what was started as it is. */
  static isInterrupt({ signal }: DeployHooks): boolean {
    return signal.reason instanceof TaskEnded && signal.reason.reason === 'stop';
  }

  refuse(): void {
    if (this.#outcome === undefined) this.#grant = 'refused';
  }

  /** A line for its deploy log, unless it was the last one. */
  say(message: string): void {
    if (message === this.#said) return;
    this.#said = message;
    this.hooks.say(this.#mask(message));
  }

  /** What it waits for; undefined: for nothing that has to be said. */
  waits(reason: string | undefined): void {
    if (reason !== undefined) this.say(reason);
    this.hooks.waitsFor(reason === undefined ? undefined : this.#mask(reason));
  }

  /**
   * Asks whether traffic may move, once it is known whether it finds its way, or that takes too long. An
   * interrupt that came meanwhile wins. `check`: whether threads that wait forbid it.
   */
  async announce(
    hindrance: Hindrance | undefined,
    check: () => Promise<ReleaseCheck | undefined>,
    isServing: () => boolean,
  ): Promise<Next> {
    const left = (hindrance?.until ?? 0) - Date.now();
    this.waits(left > 0 ? hindrance?.why : undefined);
    if (left > 0) return left;
    const found = await check();
    if (this.hooks.signal.aborted) return 'again';
    if (found?.goesOn === false) {
      this.fail(this.#mask(found.message ?? ''), isServing());
      return 'until changed';
    }
    if (found?.message !== undefined) this.hooks.say(this.#mask(found.message), 'WARNING');
    this.#lost = found?.isLost ? found.message : undefined;
    const granted = await this.hooks.announceSwitch();
    if (this.#grant === 'unasked') this.#grant = granted ? 'granted' : 'refused';
    return 'again';
  }

  /** `hindrance`: why it is not reached from outside. */
  report(step: ReportStep, url: string, hindrance: string | undefined): void {
    this.#outcome = step.outcome;
    if (step.outcome === 'failed')
      this.#settle({
        outcome: 'failed',
        message: this.#mask(describeFailure(step.failure)),
        previousServing: step.previousServing,
      });
    else if (step.outcome === 'stopped') this.leave();
    else this.#succeed(url, hindrance);
  }

  #succeed(url: string, hindrance: string | undefined): void {
    const remark = hindrance && this.#mask(`It runs, but is not reached from outside. ${hindrance}`);
    if (remark !== undefined) this.hooks.say(remark, 'WARNING');
    const lost = this.#lost && this.#mask(this.#lost);
    const known = [remark, lost].filter((part) => part !== undefined).join(' ');
    this.#settle({ outcome: 'succeeded', url, ...(known !== '' && { remark: known }) });
  }

  /** It fails for a reason that the rule does not know. */
  fail(message: string, previousServing: boolean): void {
    this.#outcome = 'failed';
    this.#settle({ outcome: 'failed', message, previousServing });
  }

  /** It is another's, or nobody's any more. */
  leave(): void {
    this.#settle({ outcome: 'stopped' });
  }

  accept(): void {
    this.#isAccepted = true;
  }
}
