import { randomBytes } from 'node:crypto';

type Waiting = {
  execution: string;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

/**
 * Who waits for which token. Only the newest token of an execution is alive, until its state's time is over.
 */
export class TokenTasks {
  readonly #waiting = new Map<string, Waiting>();
  readonly #tokenOf = new Map<string, string>();

  newToken(): string {
    return randomBytes(48).toString('base64url');
  }

  /** Resolves with what the token is answered with; rejects with the failure it is answered with. */
  wait(execution: string, token: string, timeoutSeconds: number): Promise<unknown> {
    this.forget(execution);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(token, { execution, resolve, reject });
    this.#tokenOf.set(execution, token);
    // The state itself times out at the same moment; from then on the token is dead.
    const timer = setTimeout(() => this.#drop(token), timeoutSeconds * 1000);
    timer.unref();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Gives whoever waits for the token, once. */
  take(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    if (waiting !== undefined) this.#drop(token);
    return waiting;
  }

  /** The execution has ended, or goes on without the token it waited for. */
  forget(execution: string): void {
    const token = this.#tokenOf.get(execution);
    if (token !== undefined) this.#drop(token);
  }

  #drop(token: string): void {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (waiting !== undefined && this.#tokenOf.get(waiting.execution) === token) {
      this.#tokenOf.delete(waiting.execution);
    }
  }
}
