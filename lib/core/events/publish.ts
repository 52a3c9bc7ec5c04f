import type { Unpublished } from '../../adapters/events.ts';
import type { DeploymentEvent } from '../../contract/events.ts';
import type { DeploymentRef } from '../../contract/refs.ts';
import {
  type EventCount,
  firstOf,
  missedBefore,
  type News,
  NO_EVENTS,
  numberNews,
} from '../../domain/event-count.ts';
import { write } from '../../store/dynamodb/write.ts';
import type { Deps } from '../deps.ts';
import { findDeployment } from '../items/deployments.ts';
import {
  eventsIn,
  findEventCount,
  forgetUnpublishedEvents,
  putEventCount,
  putUnpublishedEvents,
  unpublishedEventsOf,
} from '../items/events.ts';
import type { Revision } from '../items/items.ts';
import { findRevisionByNumber } from '../items/revisions.ts';
import { CREATION_EVENT, createdEvent, DELETION_EVENT, historyOf, type Unnumbered } from './changed-item.ts';
import { EVENTS_AT_ONCE, type EventMemory, newMemory, type Prepared } from './feed-writer.ts';

type PublishDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'webhookWaker'> & EventMemory;

/** The count of a deployment that is gone is kept while its records could still be delivered again. */
const GONE_DAYS = 14;
const DAY_SECONDS = 86_400;
/**
 * So many missed revisions are read and published at a time: their events are stored in one item when they
 * cannot be published.
 */
const MISSED_AT_ONCE = 100;

/**
 * Numbers the events of a deployment and stores them in the tenant's feed, in one transaction, and publishes
 * them. Events that are missing before them (their records were lost: the stream keeps them for a day) are
 * published first, from the revisions' own histories. Gives what could not be published, which is stored for
 * sweep.
 */
export async function publishNews(
  deps: PublishDeps,
  ref: DeploymentRef,
  news: readonly News<Unnumbered>[],
): Promise<Unpublished | undefined> {
  const asked = new Set<number>();
  const publishedNow = new Set<string>();
  let unpublished: Unpublished | undefined;
  for (;;) {
    const { missed, events, isCut } = await numbered(deps, ref, news, asked);
    if (missed.length > 0) {
      for (const number of missed) asked.add(number);
      await publishMissed(deps, ref, missed, publishedNow);
      continue;
    }
    // What was published meanwhile is not published twice.
    const fresh = events.filter(({ id }) => !publishedNow.has(id));
    unpublished = (await publish(deps, ref, fresh)) ?? unpublished;
    if (!isCut) return unpublished;
    for (const { id } of fresh) publishedNow.add(id);
  }
}

async function publishMissed(
  deps: PublishDeps,
  ref: DeploymentRef,
  missed: number[],
  publishedNow: Set<string>,
): Promise<void> {
  const late = await readMissed(deps, ref, missed);
  for (let isMore = true; isMore; ) {
    const { events, isCut } = await numbered(deps, ref, late, undefined);
    const fresh = events.filter(({ id }) => !publishedNow.has(id));
    for (const { id } of fresh) publishedNow.add(id);
    await publish(deps, ref, fresh);
    isMore = isCut;
  }
}

/** Publishes what is unpublished of a revision that has ended, and of those before it. */
export async function publishEnded(
  deps: Omit<PublishDeps, keyof EventMemory>,
  ref: DeploymentRef,
  revision: Revision,
): Promise<void> {
  await publishNews({ ...deps, ...newMemory() }, ref, [historyOf(revision, revision.history.length)]);
}

/** Publishes what is unpublished of a deployment's revisions. All have ended and are about to be removed. */
export async function publishRemoved(
  deps: Omit<PublishDeps, keyof EventMemory>,
  ref: DeploymentRef,
  latestNumber: number,
): Promise<void> {
  const latest = await findRevisionByNumber(deps.table, ref, latestNumber);
  if (latest === undefined) return;
  const history = historyOf(latest, latest.history.length);
  await publishNews({ ...deps, ...newMemory() }, ref, [{ ...history, hasBegun: true }]);
}

/** The number of what is made of a deployment before all its revisions. */
const CREATION = 0;

/** `isCut`: there were more events than one transaction takes. */
type Numbered = { missed: number[]; events: DeploymentEvent[]; isCut: boolean };

/**
 * Nothing is numbered while something was missed that is not among those `asked` for; undefined: this is what
 * was missed.
 */
const numbered = (
  deps: PublishDeps,
  ref: DeploymentRef,
  news: readonly News<Unnumbered>[],
  asked: Set<number> | undefined,
): Promise<Numbered> =>
  deps.feed.append(deps, ref.tenantId, async (): Promise<Prepared<Numbered>> => {
    const { deploymentId } = ref;
    // Taken, so that a race that is lost reads it.
    const before = deps.counts.take(deploymentId) ?? (await findEventCount(deps.table, ref));
    const missed = asked === undefined ? [] : missing(before, news).filter((number) => !asked.has(number));
    if (missed.length > 0) {
      if (before !== undefined) deps.counts.note(deploymentId, before);
      const result = { missed: missed.slice(0, MISSED_AT_ONCE), events: [], isCut: false };
      return { writes: [], events: [], again: false, result };
    }
    const byTime = { byTime: asked === undefined };
    const first = firstOf(before ?? NO_EVENTS, news, EVENTS_AT_ONCE, byTime);
    const { count, numbered: all } = numberNews(before ?? NO_EVENTS, first, byTime);
    const isNew = count !== before && count !== NO_EVENTS;
    const events = all.map(({ event, sequence }) => ({ ...event, sequence }));
    const fresh = events.filter(({ sequence }) => sequence > (before?.sequence ?? 0));
    return {
      writes: isNew ? [putEventCount(ref, before, count, ttlOf(deps, news))] : [],
      events: fresh,
      again: fresh.length < events.length,
      result: { missed: [], events, isCut: first !== news },
      onStored: () => {
        if (count !== NO_EVENTS) deps.counts.note(deploymentId, count);
      },
    };
  });

function missing(before: EventCount | undefined, news: readonly News<Unnumbered>[]): number[] {
  const isCreated = before !== undefined || news.some((one) => 'name' in one && one.name === CREATION_EVENT);
  return [...(isCreated ? [] : [CREATION]), ...missedBefore(before ?? NO_EVENTS, news)];
}

const ttlOf = ({ clock }: PublishDeps, news: readonly News<Unnumbered>[]): number | undefined =>
  news.some((one) => 'name' in one && one.name === DELETION_EVENT)
    ? Math.ceil(clock.now() / 1000) + GONE_DAYS * DAY_SECONDS
    : undefined;

/**
 * The newest first: what is read later is no older, so no revision is seen to have begun before the one
 * before it has ended.
 */
async function readMissed(
  { table }: PublishDeps,
  ref: DeploymentRef,
  numbers: number[],
): Promise<News<Unnumbered>[]> {
  const found: (News<Unnumbered> | undefined)[] = [];
  for (const number of numbers.toReversed()) {
    if (number === CREATION) {
      const deployment = await findDeployment(table, ref.tenantId, ref.deploymentId);
      found.push(deployment && createdEvent(deployment));
    } else {
      const revision = await findRevisionByNumber(table, ref, number);
      found.push(revision && historyOf(revision, revision.history.length));
    }
  }
  return found.filter((one) => one !== undefined).toReversed();
}

async function publish(
  deps: PublishDeps,
  ref: DeploymentRef,
  events: DeploymentEvent[],
): Promise<Unpublished | undefined> {
  if (events.length === 0) return undefined;
  const unpublished = await deps.events.publish(events);
  if (unpublished === undefined) return undefined;
  await write(deps.table, putUnpublishedEvents(ref, unpublished.events, deps.clock.now()));
  return unpublished;
}

/**
 * Publishes events that could not be published before, oldest first. Throws when they still cannot: they
 * stay, and are due at the next sweep.
 */
export async function resendEvents(deps: Pick<Deps, 'table' | 'events'>, ref: DeploymentRef): Promise<void> {
  for await (const item of unpublishedEventsOf(deps.table, ref)) {
    const unpublished = await deps.events.publish(eventsIn(item));
    if (unpublished !== undefined) throw new Error(`events cannot be published: ${unpublished.reason}`);
    await write(deps.table, forgetUnpublishedEvents(ref, item));
  }
}
