/*
 * The part of the Amazon States Language that statemachines/revision.asl.json uses, read from that text
 * itself. What it does not use is refused, so that nothing is passed over.
 */

type Retrier = {
  ErrorEquals: string[];
  IntervalSeconds: number;
  MaxAttempts: number;
  BackoffRate: number;
  MaxDelaySeconds: number;
  JitterStrategy: 'FULL';
};
type Catcher = { ErrorEquals: string[]; ResultPath: string; Next: string };
export type TaskState = {
  Type: 'Task';
  Resource: string;
  Parameters: Record<string, unknown>;
  ResultSelector?: Record<string, unknown>;
  ResultPath?: string | null;
  TimeoutSeconds: number;
  Retry?: Retrier[];
  Catch?: Catcher[];
  Next?: string;
  End?: boolean;
};
type ChoiceState = {
  Type: 'Choice';
  Choices: { Variable: string; StringEquals: string; Next: string }[];
  Default: string;
};
export type Definition = { StartAt: string; States: Record<string, TaskState | ChoiceState> };
export type Data = Record<string, unknown>;

/** What a machine needs of the world. All of it may never settle: then the execution is over. */
export type Host = {
  wait(milliseconds: number): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  newToken(): string;
  /** Runs the function of a state; with a token its own answer does not count. */
  task(call: { state: string; payload: Data; token: string | undefined; seconds: number }): Promise<unknown>;
};

const WAITS_FOR_TOKEN = 'arn:aws:states:::lambda:invoke.waitForTaskToken';

export class StatesTimeout extends Error {
  override name = 'States.Timeout';
}

function at(data: unknown, path: string): unknown {
  const steps = path.split('.').slice(1);
  return steps.reduce<unknown>((value, step) => (value as Data | undefined)?.[step], data);
}

/** An object whose keys that end with `.$` name where their values are; `context` by its whole paths. */
function filled(template: unknown, data: Data, context: Record<string, unknown>): unknown {
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template).map(([key, value]) => {
    if (!key.endsWith('.$')) return [key, filled(value, data, context)];
    const path = String(value);
    const found = path.startsWith('$$.') ? context[path] : path === '$' ? data : at(data, path);
    return [key.slice(0, -2), found];
  });
  return Object.fromEntries(entries) as unknown;
}

function withResult(data: Data, path: string | null | undefined, result: unknown): Data {
  if (path === null) return data;
  const [, name] = /^\$\.(\w+)$/.exec(path ?? '') ?? [];
  if (name === undefined) throw new Error(`a ResultPath like ${path} is not simulated`);
  return { ...data, [name]: result };
}

const chosen = ({ Choices, Default }: ChoiceState, data: Data): string =>
  Choices.find(({ Variable, StringEquals }) => at(data, Variable) === StringEquals)?.Next ?? Default;

const matches = (names: string[], error: Error): boolean =>
  names.includes('States.ALL') || names.includes(error.name);

/** Runs a machine to its end. */
export class Machine {
  readonly #definition: Definition;
  readonly #host: Host;

  constructor(definition: Definition, host: Host) {
    this.#definition = definition;
    this.#host = host;
  }

  async run(input: Data): Promise<'succeeded' | 'failed'> {
    let data = input;
    let name: string | undefined = this.#definition.StartAt;
    while (name !== undefined) {
      const state: TaskState | ChoiceState | undefined = this.#definition.States[name];
      if (state === undefined) throw new Error(`no state ${name}`);
      if (state.Type === 'Choice') {
        name = chosen(state, data);
        continue;
      }
      const step = await this.#step(name, state, data);
      if (step === 'failed') return 'failed';
      [data, name] = [step.data, step.next];
    }
    return 'succeeded';
  }

  async #step(
    name: string,
    state: TaskState,
    data: Data,
  ): Promise<{ data: Data; next: string | undefined } | 'failed'> {
    try {
      const result = await this.#retried(name, state, data);
      return {
        data: withResult(data, state.ResultPath, result),
        next: state.End === true ? undefined : state.Next,
      };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const caught = state.Catch?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
      if (caught === undefined) return 'failed';
      const told = { Error: error.name, Cause: error.message };
      return { data: withResult(data, caught.ResultPath, told), next: caught.Next };
    }
  }

  /** Each retrier counts its own tries. */
  async #retried(name: string, state: TaskState, data: Data): Promise<unknown> {
    const used = new Map<Retrier, number>();
    for (;;) {
      try {
        const retry = [...used.values()].reduce((sum, tries) => sum + tries, 0);
        return await this.#once(name, state, data, retry);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const retrier = state.Retry?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
        const tries = retrier === undefined ? 0 : (used.get(retrier) ?? 0);
        if (retrier === undefined || tries >= retrier.MaxAttempts) throw error;
        used.set(retrier, tries + 1);
        const longest = Math.min(
          retrier.MaxDelaySeconds,
          retrier.IntervalSeconds * retrier.BackoffRate ** tries,
        );
        await this.#host.wait(this.#host.random() * longest * 1000);
      }
    }
  }

  async #once(name: string, state: TaskState, data: Data, retry: number): Promise<unknown> {
    const token = state.Resource === WAITS_FOR_TOKEN ? this.#host.newToken() : undefined;
    const parameters = filled(state.Parameters, data, {
      '$$.Task.Token': token,
      '$$.State.RetryCount': retry,
    }) as Data;
    const payload = parameters.Payload as Data;
    const answered = await this.#host.task({ state: name, payload, token, seconds: state.TimeoutSeconds });
    const result = token === undefined ? { Payload: answered } : answered;
    return state.ResultSelector === undefined
      ? result
      : filled(state.ResultSelector, { ...(result as Data) }, {});
  }
}
