import { once } from '../contract/once.ts';
import { errorFacts, logger } from '../http/logger.ts';

export type ScheduledRun<D, R> = (
  deps: D,
  options: { all: boolean },
  onError: (error: unknown, id: string) => void,
) => Promise<R>;

/**
 * Makes a function that a schedule calls. `{"all": true}` in the event asks for what is due later too.
 * `idName`: what the log calls the id of what failed.
 */
export function schedule<D, R extends { looked: number }>(
  name: string,
  run: ScheduledRun<D, R>,
  idName = 'deployment_id',
) {
  return (deps: () => D) => {
    const kept = once(deps);
    return async (event?: { all?: boolean }): Promise<R> => {
      const result = await run(kept(), { all: event?.all === true }, (error, id) =>
        logger().error(`${name} failed`, { [idName]: id, ...errorFacts(error) }),
      );
      if (result.looked > 0) logger().debug(name, result);
      return result;
    };
  };
}
