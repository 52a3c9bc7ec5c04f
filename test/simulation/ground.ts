import type { Facts } from './facts.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What every part of a run stands on. */
export type Ground = {
  time: VirtualTime;
  random: Random;
  faults: Faults;
  facts: Facts;
  /** A line of the trace, if one is wanted. */
  say(text: () => string): void;
  /** How often something happened, for whoever wants to know what a run was made of. */
  count(what: string): void;
  /** A promise was broken: the run ends with the first. */
  violate(what: string): void;
  /**
   * A moment at which it matters who comes first: sometimes somebody does something with the revision just
   * then.
   */
  aim(deploymentId: string, revisionId: string): void;
  /** New ids, in the shape of a UUIDv7. */
  newId(): string;
};
