import { v4, v7 } from 'uuid';

/** Time and new ids are passed in, so that rules and simulations can choose them. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** UUIDv7: sorts by age. */
  orderedId(): string;
  /** UUIDv4. */
  randomId(): string;
  /** Resolves after so many milliseconds; keeps no process alive. */
  wait(milliseconds: number): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  orderedId: () => v7(),
  randomId: () => v4(),
  wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds).unref()),
};
