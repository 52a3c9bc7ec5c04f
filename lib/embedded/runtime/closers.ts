/** What was opened, to be closed in reverse order. */
export class Closers {
  readonly #closers: { name: string; close: () => Promise<void> | void }[] = [];
  readonly #onError: (message: string) => void;

  constructor(onError: (message: string) => void) {
    this.#onError = onError;
  }

  add(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close });
  }

  /** Closes everything; one that fails is said and does not keep the others open. */
  async closeAll(): Promise<void> {
    for (let next = this.#closers.pop(); next !== undefined; next = this.#closers.pop()) {
      try {
        await next.close();
      } catch (error) {
        this.#onError(`closing ${next.name}: ${String(error)}`);
      }
    }
  }
}
