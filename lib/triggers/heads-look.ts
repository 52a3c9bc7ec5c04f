import * as z from 'zod';
import type { HeadPlace } from '../adapters/head-waker.ts';
import { once } from '../contract/once.ts';
import { errorFacts, logger } from '../http/logger.ts';
import { type ScheduledRun, schedule } from './schedule.ts';

const wakeEvent = z.object({ pk: z.string(), sk: z.string() });

type OnError = (error: unknown, deploymentId: string) => void;

/** Makes the function that a schedule calls, and a delivery of a git host for the head that it tells of. */
export function headsLook<D, R extends { looked: number }>(
  all: ScheduledRun<D, R>,
  one: (deps: D, head: HeadPlace, onError: OnError) => Promise<R>,
) {
  const scheduled = schedule('heads', all);
  return (deps: () => D) => {
    const kept = once(deps);
    const run = scheduled(kept);
    return async (event?: { all?: boolean } | HeadPlace): Promise<R> => {
      const head = wakeEvent.safeParse(event).data;
      if (head === undefined) return run(event !== undefined && 'all' in event ? event : {});
      return one(kept(), head, (error, id) =>
        logger().error('heads failed', { deployment_id: id, ...errorFacts(error) }),
      );
    };
  };
}
