/** Lets a claim wait for work where holding a request costs nothing. */
export type TaskNotifier = {
  /** Waiting costs nothing here, so a listener may ask again at once. */
  holds: boolean;
  /**
   * Resolves when there may be something new for this listener, a task or another change, at the latest after
   * `milliseconds`. On AWS at once.
   */
  wait(listenerId: string, milliseconds: number): Promise<void>;
};

/** On AWS a held function costs ten times as much as asking again, so nothing waits. */
export const neverWait: TaskNotifier = { holds: false, wait: async () => {} };
