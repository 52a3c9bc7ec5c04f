export type Schedule = {
  /** Stops it; resolves when a run that is under way has ended. */
  close(): Promise<void>;
};

export type ScheduleOptions = {
  /** `first`: the run at the start, which looks at everything. */
  run: (first: boolean) => Promise<void>;
  everySeconds: number;
  onError: (error: unknown) => void;
};

/** Runs now, then every so many seconds; a tick is left out while the run before it goes on. */
export function startSchedule({ run, everySeconds, onError }: ScheduleOptions): Schedule {
  let current: Promise<void> | undefined;
  const tick = (first: boolean) => {
    current ??= run(first)
      .catch(onError)
      .finally(() => {
        current = undefined;
      });
  };
  tick(true);
  const timer = setInterval(() => tick(false), everySeconds * 1000);
  return {
    async close() {
      clearInterval(timer);
      await current;
    },
  };
}
