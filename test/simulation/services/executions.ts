import { readFileSync } from 'node:fs';
import type { ExecutionInput } from '../../../lib/adapters/workflow.ts';
import type { ExecutionStatus } from '../../../lib/contract/execution-status.ts';
import { SECOND, throttled } from '../faults.ts';
import type { Ground } from '../ground.ts';
import { NOTHING } from '../virtual-time.ts';
import { type Data, type Definition, Machine, StatesTimeout } from './state-machine.ts';

const definition = JSON.parse(
  readFileSync(new URL('../../../statemachines/revision.asl.json', import.meta.url), 'utf8'),
) as Definition;

type Execution = {
  name: string;
  input: ExecutionInput;
  status: Exclude<ExecutionStatus, 'absent'>;
  startedAt: number;
};
type Waiting = { execution: Execution; resolve: (output: unknown) => void; reject: (error: Error) => void };

/** Calls the function of a state. */
export type CallStep = (state: string, payload: Data) => Promise<unknown>;
type Hooks = {
  callStep: CallStep;
  /** An execution failed, timed out or was aborted: an event says so. */
  onBadEnd: (input: ExecutionInput) => void;
};

/** For so long a new execution may be said to be absent. */
const UNSEEN_MILLISECONDS = 3_000;

/** Step Functions, or its twin in a runtime that can die. */
export class Executions {
  readonly #ground: Ground;
  readonly #hooks: Hooks;
  readonly #all = new Map<string, Execution>();
  readonly #tokens = new Map<string, Waiting>();
  readonly #attempts = new Map<string, number>();
  #lastToken = 0;

  constructor(ground: Ground, hooks: Hooks) {
    this.#ground = ground;
    this.#hooks = hooks;
  }

  start(name: string, input: ExecutionInput): 'started' | 'already_exists' {
    const { faults, random, time } = this.#ground;
    const isLost = faults.chance(0.01);
    if (isLost && random.chance(0.5)) throw throttled();
    const known = this.#all.get(name);
    if (known !== undefined) return known.status === 'running' ? 'started' : 'already_exists';
    const execution: Execution = { name, input, status: 'running', startedAt: time.now };
    this.#all.set(name, execution);
    void this.#run(execution);
    if (faults.chance(0.01)) time.after(random.between(0, 300) * SECOND, () => this.#abortByHand(execution));
    if (isLost) throw throttled();
    return 'started';
  }

  status(name: string): ExecutionStatus {
    const { faults, time } = this.#ground;
    const known = this.#all.get(name);
    if (known === undefined) return 'absent';
    const isNew = time.now - known.startedAt < UNSEEN_MILLISECONDS;
    return isNew && faults.chance(0.3) ? 'absent' : known.status;
  }

  succeed(token: string, output: object): 'answered' | 'gone' {
    return this.#answer(token, ({ resolve }) => resolve(output));
  }

  fail(token: string, { name, cause }: { name: string; cause: string }): 'answered' | 'gone' {
    return this.#answer(token, ({ reject }) => reject(Object.assign(new Error(cause), { name })));
  }

  /** As when the process dies, or is stopped in order, that runs them. Gives the ids of their revisions. */
  endAll(status: 'failed' | 'stopped'): string[] {
    const running = [...this.#all.values()].filter((execution) => execution.status === 'running');
    for (const execution of running) this.#close(execution, status);
    return running.map(({ input }) => input.revisionId);
  }

  /** A person ends what runs of a revision. */
  abortByHand(revisionId: string): void {
    for (const execution of this.#all.values())
      if (execution.input.revisionId === revisionId) this.#abortByHand(execution);
  }

  /** Which attempt of its revision a token was made for. */
  attemptOf(token: string): number | undefined {
    return this.#attempts.get(token);
  }

  #newToken({ input }: Execution): string {
    const token = `token-${++this.#lastToken}`;
    this.#attempts.set(token, input.attempt);
    return token;
  }

  #answer(token: string, how: (waiting: Waiting) => void): 'answered' | 'gone' {
    const waiting = this.#tokens.get(token);
    if (waiting === undefined) return 'gone';
    this.#tokens.delete(token);
    how(waiting);
    return 'answered';
  }

  #abortByHand(execution: Execution): void {
    if (execution.status !== 'running') return;
    this.#ground.count('executions aborted by hand');
    this.#ground.facts.aborted.add(execution.input.revisionId);
    this.#close(execution, 'aborted');
  }

  #close(execution: Execution, status: Execution['status']): void {
    this.#ground.say(() => `execution ${execution.name} is ${status}`);
    execution.status = status;
    for (const [token, { execution: of }] of this.#tokens) if (of === execution) this.#tokens.delete(token);
    if (status === 'failed' || status === 'timed_out' || status === 'aborted')
      this.#hooks.onBadEnd(execution.input);
  }

  async #run(execution: Execution): Promise<void> {
    const { random } = this.#ground;
    const machine = new Machine(definition, {
      wait: (milliseconds) => this.#waitIn(execution, milliseconds),
      random: () => random.next(),
      newToken: () => this.#newToken(execution),
      task: (call) => this.#task(execution, call),
    });
    const end = await machine.run({ ...execution.input });
    if (execution.status !== 'running') return;
    if (end === 'failed') this.#ground.facts.noteDeath(execution.input.revisionId);
    this.#close(execution, end);
  }

  /** Nothing goes on in an execution that is over. */
  #waitIn(execution: Execution, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ground.time.after(milliseconds, () => {
        if (execution.status === 'running') resolve();
      });
    });
  }

  async #task(
    execution: Execution,
    {
      state,
      payload,
      token,
      seconds,
    }: { state: string; payload: Data; token: string | undefined; seconds: number },
  ): Promise<unknown> {
    const { time, random } = this.#ground;
    // From one state to the next.
    await this.#waitIn(execution, random.between(5, 60));
    return new Promise((resolve, reject) => {
      let isOver = false;
      const settle = (how: () => void) => {
        if (isOver || execution.status !== 'running') return;
        isOver = true;
        if (token !== undefined) this.#tokens.delete(token);
        how();
      };
      const fail = (error: Error) => settle(() => reject(error));
      time.after(seconds * SECOND, () => {
        if (isOver) return NOTHING;
        return fail(new StatesTimeout(`${state} took more than ${seconds} s`));
      });
      if (token !== undefined)
        this.#tokens.set(token, {
          execution,
          resolve: (output) => settle(() => resolve(output)),
          reject: fail,
        });
      this.#hooks.callStep(state, payload).then(
        (output) => {
          if (token === undefined) settle(() => resolve(output));
        },
        (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }
}
