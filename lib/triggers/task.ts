import { ApiError } from '../contract/errors.ts';
import { once } from '../contract/once.ts';
import { isUnavailable } from '../core/unavailable.ts';
import { errorFacts, logger } from '../http/logger.ts';

/** A service was too busy, broken or out of reach: the state machine tries the state again. */
export class Transient extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause), { cause });
    this.name = 'Transient';
  }
}

/** A service does not answer, or the table stayed contended for as long as it is waited for. */
const isPassing = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof ApiError && error.code === 'unavailable');

/**
 * Makes a function that a state of the workflow calls. What it throws keeps its name: the states' Retry and
 * Catch go by it. `afterwards` and `atLast` are what the state can do without: when one fails, it is said in
 * the log and the state has ended well all the same.
 */
export function task<D, I extends { revisionId: string }, O, A = unknown, B = unknown>(
  name: string,
  run: (deps: D, input: I) => Promise<O>,
  afterwards: (deps: A, input: I) => Promise<void> = async () => undefined,
  atLast: (deps: B, input: I) => Promise<void> = async () => undefined,
): (deps: () => D & A & B) => (input: I) => Promise<O> {
  return (deps) => {
    const kept = once(deps);
    return async (input) => {
      const facts = { revision_id: input.revisionId };
      const output = await run(kept(), input).catch((error: unknown) => {
        logger().info(`${name} ended with an error`, { ...facts, ...errorFacts(error) });
        throw isPassing(error) ? new Transient(error) : error;
      });
      for (const rest of [() => afterwards(kept(), input), () => atLast(kept(), input)])
        await rest().catch((error: unknown) => {
          logger().warn(`${name} left something undone`, { ...facts, ...errorFacts(error) });
        });
      return output;
    };
  };
}
