import * as z from 'zod';
import { deploymentEvent, listenerEvent, tokenEvent, webhookEvent } from '../../contract/events.ts';
import { id, orNull, queryBoolean, queryInt } from '../../contract/validation/query.ts';

const FEED_PAGE_LENGTH_MAX = 1000;
const FEED_PAGE_LENGTH_DEFAULT = 100;

/** `GET /v2/events`. */
export const listEventsQuery = z.object({
  /** Absent: from the oldest that is kept. */
  after: orNull(queryInt({ min: 0 }).optional()),
  /** Without `after`: whether to begin after the newest event, for who knows the state of things already. */
  newest: orNull(queryBoolean.optional()),
  /** Only events of this deployment, also of one that was deleted. */
  deployment_id: orNull(id.optional()),
  limit: orNull(queryInt({ min: 1, max: FEED_PAGE_LENGTH_MAX }).default(FEED_PAGE_LENGTH_DEFAULT)),
});

/** Its place among all events of the tenant, from 1 without gaps. */
const number = { number: z.int() };
export const deploymentFeedEvent = deploymentEvent.extend(number);
export const tokenFeedEvent = tokenEvent.extend(number);
export const listenerFeedEvent = listenerEvent.extend(number);
export const webhookFeedEvent = webhookEvent.extend(number);
export const feedEvent = z.discriminatedUnion('type', [
  deploymentFeedEvent,
  tokenFeedEvent,
  listenerFeedEvent,
  webhookFeedEvent,
]);

export const eventListView = z.object({
  /** In the order of their numbers. */
  resources: z.array(feedEvent),
  /** What to ask for next. */
  after: z.int(),
  /** So many events after the `after` of the request have expired before they could be read; mostly 0. */
  missed: z.int(),
});
export type EventListView = z.input<typeof eventListView>;
