import { lazy } from '../contract/lazy.ts';
import { errorFacts } from '../http/error-mapping.ts';
import { logger } from '../http/logger.ts';

/** Makes a function that a state of the workflow calls. What it throws keeps its name: the states' Retry and Catch go by it. */
export function task<D, I extends { revisionId: string }, O>(
  name: string,
  run: (deps: D, input: I) => Promise<O>,
): (deps: () => D) => (input: I) => Promise<O> {
  return (deps) => {
    const kept = lazy(deps);
    return async (input) => {
      try {
        return await run(kept(), input);
      } catch (error) {
        logger().info(`${name} ended with an error`, { revision_id: input.revisionId, ...errorFacts(error) });
        throw error;
      }
    };
  };
}
