import type { Log } from './log.ts';
import type { ListenerOptions } from './options.ts';

export type StartedListener = {
  /** Resolves, with the reason, when it cannot go on and is to be stopped. */
  ended: Promise<string>;
  /** Stops everything that was started here; resolves when none of it is alive. */
  stop: () => Promise<void>;
};

/** Composes a listener and starts it: reconciles with what should run, then asks for work. */
export type StartListener = (options: ListenerOptions, log: Log) => Promise<StartedListener>;
