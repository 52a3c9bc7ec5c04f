import * as z from 'zod';
import type { PublishedEvent } from '../../contract/events.ts';
import { systemPatience } from '../../store/patience.ts';
import type { Events, Unpublished } from '../events.ts';
import { callService } from './signed-request.ts';

/** EventBridge takes so many at once. */
const ENTRIES_MAX = 10;
/** Throttling and short outages are over by then; what is not told after so many tries is kept, and the sweep tries again every minute. */
const ATTEMPTS_MAX = 6;
const CALL_MILLISECONDS_MAX = 5_000;

/** What rules on the bus match, beside the type as `detail-type`. */
const EVENT_SOURCE = 'slipway';

/** The answer tells of each entry, in order, whether it was taken. */
const putEventsAnswer = z.object({ Entries: z.array(z.object({ ErrorCode: z.string().optional() })) });

/** Tells events to a bus of EventBridge. */
export function createEventBus(busName: string): Events {
  return {
    async publish<E extends PublishedEvent>(events: readonly E[]) {
      const unpublished: Unpublished<E> = { events: [], reason: '' };
      for (let start = 0; start < events.length; start += ENTRIES_MAX) {
        const left = await putAll(busName, events.slice(start, start + ENTRIES_MAX));
        unpublished.events.push(...(left?.events ?? []));
        unpublished.reason ||= left?.reason ?? '';
      }
      return unpublished.events.length === 0 ? undefined : unpublished;
    },
  };
}

/** Tries until all are taken or patience is over; gives those that were not taken. */
async function putAll<E extends PublishedEvent>(
  busName: string,
  events: readonly E[],
): Promise<Unpublished<E> | undefined> {
  let left = events;
  const attempt = async (): Promise<undefined> => {
    const refused = await put(busName, left);
    if (refused.length === 0) return undefined;
    left = refused.map(({ event }) => event);
    throw new Error(refused[0]?.code);
  };
  const untilTaken = {
    jitter: 'full',
    startingDelay: 100,
    timeMultiple: 2,
    numOfAttempts: ATTEMPTS_MAX,
  } as const;
  return systemPatience.tryAgain(attempt, untilTaken).catch((error: unknown) => ({
    events: [...left],
    reason: error instanceof Error ? error.message : String(error),
  }));
}

async function put<E extends PublishedEvent>(
  busName: string,
  events: readonly E[],
): Promise<{ event: E; code: string }[]> {
  const answer = await callService({
    service: 'events',
    endpointVariable: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
    target: 'AWSEvents.PutEvents',
    body: { Entries: events.map((event) => entryOf(busName, event)) },
    signal: AbortSignal.timeout(CALL_MILLISECONDS_MAX),
  });
  const { Entries: entries } = putEventsAnswer.parse(answer);
  return events.flatMap((event, index) => {
    const code = entries[index]?.ErrorCode;
    return code === undefined ? [] : [{ event, code }];
  });
}

const entryOf = (busName: string, event: PublishedEvent) => ({
  EventBusName: busName,
  Source: EVENT_SOURCE,
  DetailType: event.type,
  Time: Math.floor(Date.parse(event.at) / 1000),
  Detail: JSON.stringify(event),
});
