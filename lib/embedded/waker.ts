export type EmbeddedWaker<W> = {
  wake(wake: W): Promise<void>;
  /** Names what is called when somebody is woken. */
  onWake(run: (wake: W) => Promise<void>): void;
  /** Wakes nobody any more. Whoever works is not waited for: what is not noted is sent again. */
  close(): void;
};

/**
 * Calls a function in this process. One call for an id (such as of a webhook) runs at a time; who is woken
 * meanwhile runs once more.
 */
export function createEmbeddedWaker<W>(
  idOf: (wake: W) => string,
  onError: (error: unknown) => void,
): EmbeddedWaker<W> {
  const running = new Map<string, { again: boolean }>();
  let run: (wake: W) => Promise<void> = async () => undefined;
  let isClosed = false;
  const call = (wake: W): Promise<void> =>
    run(wake).catch((error: unknown) => {
      if (!isClosed) onError(error);
    });
  const callInTurn = async (id: string, wake: W): Promise<void> => {
    const state = { again: true };
    running.set(id, state);
    while (state.again && !isClosed) {
      state.again = false;
      await call(wake);
    }
    running.delete(id);
  };
  return {
    async wake(wake) {
      if (isClosed) return;
      const id = idOf(wake);
      const state = running.get(id);
      if (state === undefined) void callInTurn(id, wake);
      else state.again = true;
    },
    onWake: (called) => {
      run = called;
    },
    close: () => {
      isClosed = true;
    },
  };
}
