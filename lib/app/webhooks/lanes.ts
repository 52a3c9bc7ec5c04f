import type { FeedEvent, FeedPage } from '../../store/feed.ts';
import type { WebhookQueue } from '../../store/webhooks/cursors.ts';

/** Events of one deployment, token or listener on their way to a webhook, one after the other. */
export type Lane = {
  subjectId: string;
  /** The number of the last event that was delivered. */
  after: number;
  failing: WebhookQueue['failing'];
  /** What is to be delivered, as far as it was read: all events up to the number `readTo`. */
  events: FeedEvent[];
  readTo: number;
  isBusy: boolean;
};

/** A lane holds so many events in memory; the rest is read when it gets there. */
const EVENTS_MAX = 100;

export const laneOf = ({ subject_id: subjectId, after, failing }: WebhookQueue): Lane => ({
  subjectId,
  after,
  failing,
  events: [],
  readTo: after,
  isBusy: false,
});

/** Takes in what a page of the feed has, which ends with the number `end`, unless it has not read up to there. */
export function takeIn(lane: Lane, own: FeedEvent[], { from, end }: { from: number; end: number }): void {
  if (lane.readTo !== from || lane.events.length + own.length > EVENTS_MAX) return;
  lane.events.push(...own);
  lane.readTo = end;
}

/** The number that a page of the feed ends with: everything up to there was read. */
export const endOf = ({ events, count }: FeedPage, after: number): number =>
  events.at(-1)?.number ?? Math.max(after, count ?? after);

/** Whether the next event may be sent now. */
export const isReady = ({ isBusy, failing }: Lane, now: number): boolean =>
  !isBusy && (failing === undefined || failing.next_at <= now);
