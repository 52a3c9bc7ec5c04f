import type { ToldEvent } from '../contract/events.ts';

/** Those that could not be told, in their order, and why not. */
export type Untold<E extends ToldEvent = ToldEvent> = { events: E[]; reason: string };

/** Tells events to who follows them: a bus of EventBridge, or what listens in this process. */
export type Events = {
  /** Tells them in this order, and again when the other side is busy. `undefined`: all were told. Never throws. */
  publish<E extends ToldEvent>(events: readonly E[]): Promise<Untold<E> | undefined>;
};
