import { type SortKeyRange, startingWith } from '../dynamodb/sort-key-range.ts';
import type { Key } from './index.ts';

export type WebhookRef = { tenantId: string; webhookId: string };

export const webhookKey = ({ tenantId, webhookId }: WebhookRef): Key => ({
  pk: `T#${tenantId}#WH`,
  sk: webhookId,
});

/** What is delivered there lies beside it: it changes far more often, and ends later. */
const deliveryPk = ({ tenantId, webhookId }: WebhookRef): string => `T#${tenantId}#W#${webhookId}`;

const CURSOR = 'CURSOR';
const QUEUE = 'Q#';
const DELIVERY = 'D#';

export const webhookCursorKey = (ref: WebhookRef): Key => ({ pk: deliveryPk(ref), sk: CURSOR });

/** `subjectId`: of the deployment, token or listener whose events wait. */
export const webhookQueueKey = (ref: WebhookRef, subjectId: string): Key => ({
  pk: deliveryPk(ref),
  sk: `${QUEUE}${subjectId}`,
});

export const webhookQueues: SortKeyRange = startingWith(QUEUE);

export const deliveryKey = (ref: WebhookRef, deliveryId: string): Key => ({
  pk: deliveryPk(ref),
  sk: `${DELIVERY}${deliveryId}`,
});

export const deliveries: SortKeyRange = startingWith(DELIVERY);

/** Which webhook an item of such a partition is of; undefined for any other partition. */
export function webhookOf(pk: string): WebhookRef | undefined {
  const [, tenantId, webhookId] = /^T#([^#]+)#W#([^#]+)$/.exec(pk) ?? [];
  return tenantId === undefined || webhookId === undefined ? undefined : { tenantId, webhookId };
}

/** The delivery that a sort key is of; undefined for any other. */
export const deliveryIdIn = (sk: string): string | undefined =>
  sk.startsWith(DELIVERY) ? sk.slice(DELIVERY.length) : undefined;
