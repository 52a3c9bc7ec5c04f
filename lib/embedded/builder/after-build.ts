import type { CacheKey, DependencyCache } from './dependency-cache.ts';
import type { StepContext } from './run-step.ts';

/** Tells the cache that the build is over. */
export type AfterBuild = () => Promise<void>;

/** A build can change files of an installed tree in place, and the cache shares them: then the tree is not used again. */
export function dropIfChanged(
  { log }: Pick<StepContext, 'log'>,
  cache: DependencyCache,
  key: CacheKey,
): AfterBuild {
  return async () => {
    if (await cache.dropIfChanged(key))
      log.say('The build changed installed files in place, so they are not kept for the next build');
  };
}
