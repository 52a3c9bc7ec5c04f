import type { DeploySpec } from '../../../contract/listener-protocol.ts';
import { describeFailure } from '../../../domain/agent-failure.ts';
import type { Outcome, Step, Task } from '../../../domain/rollout.ts';
import type { DeployHooks, DeployResult } from '../../driver.ts';
import { TaskEnded } from '../../held-task.ts';

export type ReportStep = Extract<Step, { do: 'report' }>;

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
  #outcome: Outcome | undefined;
  #isAccepted = false;

  constructor(spec: DeploySpec, hooks: DeployHooks, before: DeploySpec | undefined, timeoutSeconds: number) {
    this.spec = spec;
    this.hooks = hooks;
    this.before = before;
    this.#timeoutSeconds = timeoutSeconds;
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

  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** A person has interrupted it. Anything else that ends it early leaves what was started as it is. */
  static isInterrupt({ signal }: DeployHooks): boolean {
    return signal.reason instanceof TaskEnded && signal.reason.reason === 'stop';
  }

  refuse(): void {
    if (this.#outcome === undefined) this.#grant = 'refused';
  }

  /** Asks whether traffic may move. An interrupt that came meanwhile wins. */
  async announce(): Promise<void> {
    const granted = await this.hooks.announceSwitch();
    if (this.#grant === 'unasked') this.#grant = granted ? 'granted' : 'refused';
  }

  report(step: ReportStep, url: string, mask: (text: string) => string): void {
    this.#outcome = step.outcome;
    if (step.outcome === 'failed')
      this.#settle({
        outcome: 'failed',
        message: mask(describeFailure(step.failure)),
        previousServing: step.previousServing,
      });
    else this.#settle(step.outcome === 'succeeded' ? { outcome: 'succeeded', url } : { outcome: 'stopped' });
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
