import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { DeploymentRef } from '../contract/refs.ts';
import { errorFacts, logger } from '../http/logger.ts';

const wakeEvent = z.object({ tenantId: z.string(), deploymentId: z.string() });
/** What ECS says of a task names its service in `group`, what it says of a service in `resources`. */
const ecsEvent = z.object({
  source: z.literal('aws.ecs'),
  resources: z.array(z.string()),
  detail: z.object({ group: z.string().optional() }),
});
const event = z.union([wakeEvent, ecsEvent]);

/**
 * Makes the function that is woken for a deployment which the installation runs itself, by the engine or by
 * an event of ECS. `placeOf`: the deployment that a service runs, by the service's name or ARN.
 */
export function computeDriver<D>(
  drive: (deps: D, place: DeploymentRef) => Promise<void>,
  placeOf: (service: string) => DeploymentRef | undefined,
): (deps: () => D) => (given: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (given) => {
      const place = placeIn(event.parse(given), placeOf);
      if (place === undefined) return;
      try {
        await drive(kept(), place);
      } catch (error) {
        logger().error('drive failed', { deployment_id: place.deploymentId, ...errorFacts(error) });
        throw error;
      }
    };
  };
}

function placeIn(
  given: z.infer<typeof event>,
  placeOf: (service: string) => DeploymentRef | undefined,
): DeploymentRef | undefined {
  if (!('source' in given)) return given;
  const named = [given.detail.group?.replace(/^service:/, ''), ...given.resources];
  return named.map((name) => name && placeOf(name)).find((place) => typeof place === 'object');
}
