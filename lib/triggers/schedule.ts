import { lazy } from '../contract/lazy.ts';
import { errorFacts } from '../http/error-mapping.ts';
import { logger } from '../http/logger.ts';

type Run<D> = (
  deps: D,
  options: { all: boolean },
  onError: (error: unknown, deploymentId: string) => void,
) => Promise<{ looked: number; failed: number }>;

/** Makes a function that a schedule calls. `{"all": true}` in the event asks for what is due later too. */
export function schedule<D>(name: string, run: Run<D>) {
  return (deps: () => D) => {
    const kept = lazy(deps);
    return async (event?: { all?: boolean }): Promise<{ looked: number; failed: number }> => {
      const result = await run(kept(), { all: event?.all === true }, (error, deploymentId) =>
        logger().error(`${name} failed`, { deployment_id: deploymentId, ...errorFacts(error) }),
      );
      if (result.looked > 0) logger().debug(name, result);
      return result;
    };
  };
}
