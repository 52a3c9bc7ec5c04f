import type { PublishedEvent } from '../contract/events.ts';

/** Those that could not be told, in their order, and why not. */
export type Unpublished<E extends PublishedEvent = PublishedEvent> = { events: E[]; reason: string };

/** Tells events to who follows them: a bus of EventBridge, or what listens in this process. */
export type Events = {
  /**
   * Tells them in this order, and again when the other side is busy. `undefined`: all were told. Never
   * throws.
   */
  publish<E extends PublishedEvent>(events: readonly E[]): Promise<Unpublished<E> | undefined>;
};
