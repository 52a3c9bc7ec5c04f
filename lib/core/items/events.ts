import * as z from 'zod';
import {
  deploymentEvent,
  type OtherEvent,
  otherEvent,
  type PublishedEvent,
  subjectOf,
} from '../../contract/events.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import type { EventCount } from '../../domain/event-count.ts';
import { absent, equals, guard, put, remove } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import {
  eventCountKey,
  unpublishedEventKeys,
  unpublishedEventsKey,
  unpublishedOtherEventKey,
} from '../../store/keys/events.ts';
import { due } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/**
 * Counts a deployment's events. It lies beside the deployment's partition and outlives it for a while: its
 * end is an event too.
 */
export const eventCount = z.object({
  v: z.literal(1),
  entity: z.literal('event_count'),
  tenant_id: z.string(),
  sequence: z.int(),
  recent: z.array(z.string()),
  settled: z.int(),
  published: z.record(z.string(), z.int()),
  ended: z.array(z.int()),
  ttl: z.number().optional(),
});

/** Events that could not be published yet, in order; sweep publishes them. Names in the table never change. */
export const unpublishedEvents = z.object({
  v: z.literal(2),
  entity: z.literal('unsent_events'),
  tenant_id: z.string(),
  sk: z.string(),
  events: z.array(deploymentEvent),
});
export type UnpublishedEvents = z.infer<typeof unpublishedEvents>;

/** An event of what is no deployment. It lies where those of a deployment of its id would. */
export const unpublishedOtherEvent = z.object({
  v: z.literal(2),
  entity: z.literal('unsent_token_event'),
  tenant_id: z.string(),
  sk: z.string(),
  event: otherEvent,
});

/** First versions knew fewer types of events. */
export const anyUnpublished = alsoEarlier(
  z.discriminatedUnion('entity', [unpublishedEvents, unpublishedOtherEvent]),
  2,
);
type AnyUnpublished = z.infer<typeof anyUnpublished>;

/** How many events a deployment has had, and what of them is published; undefined: none yet. */
export async function findEventCount(
  table: Table,
  { tenantId, deploymentId }: DeploymentRef,
): Promise<EventCount | undefined> {
  return find(table, eventCountKey(tenantId, deploymentId), eventCount);
}

/** Only while the count is still what was read. `ttl` (epoch seconds): the deployment is gone. */
export function putEventCount(
  { tenantId, deploymentId }: DeploymentRef,
  before: EventCount | undefined,
  { sequence, recent, settled, published, ended }: EventCount,
  ttl: number | undefined,
): Write {
  const progress = { settled, published, ended };
  const item = { v: 1, entity: 'event_count', tenant_id: tenantId, sequence, recent, ...progress, ttl };
  const unchanged = before === undefined ? absent('pk') : equals('sequence', before.sequence);
  return put(
    'event_count',
    { ...eventCountKey(tenantId, deploymentId), ...item },
    guard('event: count as read', unchanged),
  );
}

/** Keeps events of a deployment for sweep to publish. `now`: epoch milliseconds. */
export function putUnpublishedEvents(
  { tenantId, deploymentId }: DeploymentRef,
  events: UnpublishedEvents['events'],
  now: number,
): Write {
  const key = unpublishedEventsKey(tenantId, deploymentId, events[0]?.sequence ?? 0);
  const item = { v: 2, entity: 'unsent_events', tenant_id: tenantId, events };
  return put('unsent_events', { ...key, ...item, ...due(key.pk, now) });
}

/** Keeps an event of what is no deployment for sweep to publish. `now`: epoch milliseconds. */
export function putUnpublishedOtherEvent(event: OtherEvent, now: number): Write {
  const key = unpublishedOtherEventKey(event.tenant_id, subjectOf(event), event);
  const item = { v: 2, entity: 'unsent_token_event', tenant_id: event.tenant_id, event };
  return put(`unsent ${event.id}`, { ...key, ...item, ...due(key.pk, now) });
}

/** The events that an item keeps, in order. */
export const eventsIn = (item: AnyUnpublished): PublishedEvent[] =>
  item.entity === 'unsent_events' ? item.events : [item.event];

/**
 * What is kept of the events of a deployment, or of something else, because it could not be published yet,
 * oldest first.
 */
export const unpublishedEventsOf = (
  table: Table,
  { tenantId, deploymentId }: DeploymentRef,
): AsyncGenerator<AnyUnpublished> =>
  queryAll(table, anyUnpublished, {
    pk: eventCountKey(tenantId, deploymentId).pk,
    between: unpublishedEventKeys,
  });

/** Removes what was published meanwhile. */
export const forgetUnpublishedEvents = (
  { tenantId, deploymentId }: DeploymentRef,
  { sk }: Pick<AnyUnpublished, 'sk'>,
): Write => remove('unsent_events', { pk: eventCountKey(tenantId, deploymentId).pk, sk });
