/** Something is to be delivered to a webhook: what its cursors hold, or one delivery that was asked for. */
export type Wake = { tenantId: string; webhookId: string; deliveryId?: string };

/** Tells apart whom a wake-up is for. */
export const idOfWake = ({ tenantId, webhookId, deliveryId = '' }: Wake): string =>
  `${tenantId} ${webhookId} ${deliveryId}`;

/** Calls the function that delivers, without waiting for it. */
export type WebhookWaker = {
  /** Throws when it cannot be called. */
  wake(wake: Wake): Promise<void>;
};
