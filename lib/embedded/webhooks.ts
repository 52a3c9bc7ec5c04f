import type { Wake, WebhookWaker } from '../adapters/webhook-waker.ts';

export type EmbeddedWaker = WebhookWaker & {
  /** Names what is called when somebody is woken. */
  onWake(run: (wake: Wake) => Promise<void>): void;
  /** Wakes nobody any more. Whoever works is not waited for: what is not noted is sent again. */
  close(): void;
};

/**
 * Calls the function that delivers, in this process. One call for a webhook runs at a time; who is woken
 * meanwhile runs once more.
 */
export function createEmbeddedWaker(onError: (error: unknown) => void): EmbeddedWaker {
  const running = new Map<string, { again: boolean }>();
  let run: (wake: Wake) => Promise<void> = async () => undefined;
  let isClosed = false;
  const call = (wake: Wake): Promise<void> =>
    run(wake).catch((error: unknown) => {
      if (!isClosed) onError(error);
    });
  const callInTurn = async (id: string, wake: Wake): Promise<void> => {
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
      const id = `${wake.tenantId} ${wake.webhookId} ${wake.deliveryId ?? ''}`;
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
