import type { SortKeyRange } from '../dynamodb/sort-key-range.ts';
import { startingWith } from '../dynamodb/sort-key-range.ts';
import { type Key, padded } from './index.ts';

/** Beside the deployment's own partition, which is emptied when it is deleted. */
const eventsPk = (tenantId: string, subjectId: string): string => `T#${tenantId}#E#${subjectId}`;

const UNPUBLISHED = 'U#';

export const eventCountKey = (tenantId: string, deploymentId: string): Key => ({
  pk: eventsPk(tenantId, deploymentId),
  sk: 'COUNT',
});

export const unpublishedEventsKey = (tenantId: string, deploymentId: string, sequence: number): Key => ({
  pk: eventsPk(tenantId, deploymentId),
  sk: `${UNPUBLISHED}${padded(sequence)}`,
});

/** One event of what is no deployment: a token, a listener. */
export const unpublishedOtherEventKey = (
  tenantId: string,
  subjectId: string,
  { sequence, id }: { sequence: number; id: string },
): Key => ({ pk: eventsPk(tenantId, subjectId), sk: `${UNPUBLISHED}${padded(sequence)}#${id}` });

/** The sort keys of events that could not be published yet, beside their count. */
export const unpublishedEventKeys: SortKeyRange = startingWith(UNPUBLISHED);

/** Says that an event of what is no deployment has its number in the feed. */
export const eventMarkKey = (tenantId: string, subjectId: string, eventId: string): Key => ({
  pk: eventsPk(tenantId, subjectId),
  sk: `M#${eventId}`,
});

/** Numbers of a tenant's events have so many digits; the count sorts behind all of them. */
const FEED_DIGITS = 15;
const feedPk = (tenantId: string): string => `T#${tenantId}#EV`;
const feedSk = (number: number): string => String(number).padStart(FEED_DIGITS, '0');

export const feedEventKey = (tenantId: string, number: number): Key => ({
  pk: feedPk(tenantId),
  sk: feedSk(number),
});

export const feedCountKey = (tenantId: string): Key => ({ pk: feedPk(tenantId), sk: 'COUNT' });

/** The sort keys of all events of a tenant, without the count behind them. */
export const anyFeedNumber: SortKeyRange = [feedSk(0), '9'.repeat(FEED_DIGITS)];

/** The sort keys of the events after this number, and of the count behind them. */
export const feedAfterNumber = (number: number): SortKeyRange => [feedSk(number + 1), 'COUNT'];
