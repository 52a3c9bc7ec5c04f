import type { Write } from '../store/operations.ts';

/** Keeps the answer to a request that carries an `Idempotency-Key`, so that the same request sent again gets it again. */
export type Idempotency = {
  /**
   * The writes that keep the answer made of a use case's output; none when the request carries no key. They belong into the transaction
   * that makes the change: then there is no change without its answer, whatever dies in between.
   */
  record(output: unknown): Write[];
};

export const unkeyed: Idempotency = { record: () => [] };
