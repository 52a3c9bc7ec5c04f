import type { ExecutionInput, Workflow } from '../../adapters/workflow.ts';
import type { ExecutionStatus } from '../../contract/execution-status.ts';
import {
  type LoadedMachine,
  type MachineInput,
  type RunMachine,
  readMachine,
  type TaskState,
} from './definition.ts';
import { checkName, type ExecutionNames, openExecutionNames } from './execution-names.ts';
import { checkFailure, functionError, payloadText, stateData } from './limits.ts';
import { TokenTasks } from './token-tasks.ts';

/**
 * A Lambda function by another name: takes the payload, returns what becomes JSON, throws what Retry and
 * Catch see.
 */
export type TaskHandler = (payload: unknown) => Promise<unknown>;

/** One entry of an execution's history: `StateEntered Build`, `ExecutionSucceeded`. */
export type HistoryEntry = { type: string; state: string | undefined; error: string | undefined };

export type EmbeddedWorkflow = Workflow & {
  /** What happened in an execution of this process; empty when it is not known (any more). */
  history(name: string): readonly HistoryEntry[];
  /** Ends all executions where they are. The next process finds them `stopped`. */
  close(): Promise<void>;
};

export type WorkflowOptions = {
  /** The state machine in the Amazon States Language, the text that AWS gets. */
  definition: string;
  /** By state name; each task state has one. */
  handlers: Record<string, TaskHandler>;
  /** Remembers the names of executions. */
  namesFile: string;
  now: () => number;
  onFailure?: (name: string, error: Error) => void;
  /** For tests: how long Retry waits in a state instead of what the text says. */
  retryMilliseconds?: Record<string, number>;
};

/** Histories of executions that ended are for looking at what went wrong just now. */
const HISTORIES_MAX = 500;

/** Runs the state machine in this process with the rules of Step Functions around it. */
export function openWorkflow(options: WorkflowOptions): EmbeddedWorkflow {
  const machine = readMachine(options.definition);
  const missing = machine.tasks.filter((task) => options.handlers[task.name] === undefined);
  if (missing.length > 0) throw new Error(`no handler for: ${missing.map((task) => task.name).join(', ')}`);
  return new LocalWorkflow(options, machine, openExecutionNames(options.namesFile, options.now()));
}

class LocalWorkflow implements EmbeddedWorkflow {
  readonly #options: WorkflowOptions;
  readonly #machine: LoadedMachine;
  readonly #names: ExecutionNames;
  readonly #tokens = new TokenTasks();
  readonly #running = new Map<string, { abort: () => void; ended: Promise<void> }>();
  readonly #histories = new Map<string, HistoryEntry[]>();
  #closed = false;

  constructor(options: WorkflowOptions, machine: LoadedMachine, names: ExecutionNames) {
    this.#options = options;
    this.#machine = machine;
    this.#names = names;
  }

  async start(name: string, input: ExecutionInput): Promise<'started' | 'already_exists'> {
    const run = await this.#machine.load();
    if (this.#closed) throw new Error('the workflow is closing');
    checkName(name);
    const text = payloadText(input, 'InvalidExecutionInput');
    const taken = this.#names.take(name, text, this.#options.now());
    if (taken === 'new') this.#begin(run, name, text);
    return taken === 'taken' ? 'already_exists' : 'started';
  }

  async status(name: string): Promise<ExecutionStatus> {
    return this.#names.state(name);
  }

  async succeed(token: string, output: object): Promise<'answered' | 'gone'> {
    const text = payloadText(output, 'InvalidOutput');
    const waiting = this.#tokens.take(token);
    waiting?.resolve(JSON.parse(text));
    return waiting === undefined ? 'gone' : 'answered';
  }

  async fail(token: string, failure: { name: string; cause: string }): Promise<'answered' | 'gone'> {
    checkFailure(failure);
    const waiting = this.#tokens.take(token);
    waiting?.reject(Object.assign(new Error(failure.cause), { name: failure.name }));
    return waiting === undefined ? 'gone' : 'answered';
  }

  history(name: string): readonly HistoryEntry[] {
    return this.#histories.get(name) ?? [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running.values()];
    for (const execution of running) execution.abort();
    await Promise.all(running.map((execution) => execution.ended));
    this.#names.release();
  }

  #begin(run: RunMachine, name: string, input: string): void {
    const newToken = () => this.#tokens.newToken();
    const tries: Tries = { retries: 0 };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input of an execution is JSON
    const execution = run(JSON.parse(input) as MachineInput, {
      noThrowOnAbort: true,
      // Read each time that a state asks for `$$.Task.Token`, so that every attempt has a token of its own.
      context: {
        Execution: { Name: name },
        State: {
          get RetryCount() {
            return tries.retries;
          },
        },
        Task: {
          get Token() {
            return newToken();
          },
        },
      },
      overrides: {
        taskResourceLocalHandlers: this.#handlersFor(name, tries),
        ...(this.#options.retryMilliseconds && { retryIntervalOverrides: this.#options.retryMilliseconds }),
      },
    });
    void this.#record(name, execution.eventLogs);
    const ended = this.#settle(name, execution.result);
    this.#running.set(name, { abort: execution.abort, ended });
  }

  async #settle(name: string, result: Promise<unknown>): Promise<void> {
    let how: 'succeeded' | 'failed' = 'succeeded';
    try {
      await result;
    } catch (error) {
      how = 'failed';
      this.#options.onFailure?.(name, error instanceof Error ? error : new Error(String(error)));
    }
    this.#tokens.forget(name);
    this.#running.delete(name);
    this.#names.close(name, this.#closed ? 'stopped' : how, this.#options.now());
  }

  #handlersFor(name: string, tries: Tries) {
    const wrap = (task: TaskState) =>
      counted(tries, task.waitsForToken ? this.#waiting(name, task) : this.#calling(task));
    return Object.fromEntries(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package does not export its type of JSON, which `stateData` makes
      this.#machine.tasks.map((task) => [task.name, wrap(task) as (input: unknown) => Promise<string>]),
    );
  }

  /** `lambda:invoke`: the function's answer is the state's result. */
  #calling(task: TaskState) {
    return async (input: unknown): Promise<unknown> => {
      const answer = await this.#call(task, input);
      return stateData({ ExecutedVersion: '$LATEST', Payload: answer ?? null, StatusCode: 200 });
    };
  }

  /**
   * `lambda:invoke.waitForTaskToken`: the token's answer is the result; a function that throws fails the
   * state.
   */
  #waiting(name: string, task: TaskState) {
    return async (input: unknown): Promise<unknown> => {
      const token = tokenIn(payloadOf(input));
      const answered = this.#tokens.wait(name, token, task.timeoutSeconds);
      const called = this.#call(task, input).then(() => answered);
      try {
        return stateData(await Promise.race([answered, called]));
      } finally {
        this.#tokens.take(token);
        called.catch(() => undefined);
      }
    };
  }

  async #call(task: TaskState, input: unknown): Promise<unknown> {
    const handler = this.#options.handlers[task.name];
    const payload = stateData(payloadOf(input));
    try {
      return await handler?.(payload);
    } catch (error) {
      throw functionError(error);
    }
  }

  async #record(
    name: string,
    events: AsyncGenerator<{ type: string; state?: { name: string }; Error?: string }>,
  ) {
    const history: HistoryEntry[] = [];
    this.#histories.set(name, history);
    for (const old of [...this.#histories.keys()].slice(0, -HISTORIES_MAX)) {
      if (!this.#running.has(old)) this.#histories.delete(old);
    }
    for await (const event of events) {
      history.push({ type: event.type, state: event.state?.name, error: event.Error });
    }
  }
}

/** How often the state that an execution is in has been tried again. */
type Tries = { retries: number };

/** A state that fails for good is followed by one that does not ask how often it was tried. */
function counted(tries: Tries, run: (input: unknown) => Promise<unknown>) {
  return async (input: unknown): Promise<unknown> => {
    try {
      const result = await run(input);
      tries.retries = 0;
      return result;
    } catch (error) {
      tries.retries += 1;
      throw error;
    }
  };
}

function payloadOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'Payload' in input ? input.Payload : undefined;
}

/** The token that the state was given, wherever its payload carries it under the name `token`. */
function tokenIn(payload: unknown): string {
  const token =
    typeof payload === 'object' && payload !== null && 'token' in payload ? payload.token : undefined;
  if (typeof token === 'string') return token;
  throw new Error('the payload of a state that waits for a token must carry it as `token`');
}
