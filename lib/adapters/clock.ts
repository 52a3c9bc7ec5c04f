import { v4, v7 } from 'uuid';

/** Time and new ids are passed in, so that rules and simulations can choose them. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** UUIDv7: sorts by age. */
  orderedId(): string;
  /** UUIDv4. */
  randomId(): string;
};

export const systemClock: Clock = { now: () => Date.now(), orderedId: () => v7(), randomId: () => v4() };
