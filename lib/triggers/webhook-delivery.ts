import * as z from 'zod';
import type { Wake } from '../adapters/webhook-waker.ts';
import { once } from '../contract/once.ts';
import { errorFacts, logger } from '../http/logger.ts';

const wakeEvent = z.object({
  tenantId: z.string(),
  webhookId: z.string(),
  deliveryId: z.string().optional(),
});

/** Makes the function that is woken when something is to be delivered to a webhook. */
export function deliveryHandler<D>(
  deliver: (deps: D, wake: Wake) => Promise<void>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      const { deliveryId, ...webhook } = wakeEvent.parse(event);
      try {
        await deliver(kept(), { ...webhook, ...(deliveryId !== undefined && { deliveryId }) });
      } catch (error) {
        logger().error('deliver failed', { webhook_id: webhook.webhookId, ...errorFacts(error) });
        throw error;
      }
    };
  };
}
