import {
  EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { PublishedEvent } from '../../contract/events.ts';
import { systemPatience } from '../../store/dynamodb/patience.ts';
import type { Events, Unpublished } from '../events.ts';

/** EventBridge takes so many at once. */
const ENTRIES_MAX = 10;
/**
 * Throttling and short outages are over by then; what is not published after so many tries is kept, and the
 * sweep tries again every minute.
 */
const ATTEMPTS_MAX = 6;
const CALL_MILLISECONDS_MAX = 5_000;

/** What rules on the bus match, beside the type as `detail-type`. */
const EVENT_SOURCE = 'slipway';

type Bus = { client: EventBridgeClient; name: string };

/** Publishes events to a bus of EventBridge. */
export function createEventBus(busName: string): Events {
  // One try a call: what is not taken is tried again here, entry by entry.
  const bus: Bus = { client: new EventBridgeClient({ maxAttempts: 1 }), name: busName };
  return {
    async publish<E extends PublishedEvent>(events: readonly E[]) {
      const unpublished: Unpublished<E> = { events: [], reason: '' };
      for (let start = 0; start < events.length; start += ENTRIES_MAX) {
        const left = await putAll(bus, events.slice(start, start + ENTRIES_MAX));
        unpublished.events.push(...(left?.events ?? []));
        unpublished.reason ||= left?.reason ?? '';
      }
      return unpublished.events.length === 0 ? undefined : unpublished;
    },
  };
}

/** Tries until all are taken or patience is over; gives those that were not taken. */
async function putAll<E extends PublishedEvent>(
  bus: Bus,
  events: readonly E[],
): Promise<Unpublished<E> | undefined> {
  let left = events;
  const attempt = async (): Promise<undefined> => {
    const refused = await put(bus, left);
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
    reason: reasonOf(error),
  }));
}

function reasonOf(error: unknown): string {
  if (error instanceof EventBridgeServiceException) return `${error.name}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** The answer tells of each entry, in order, whether it was taken. */
async function put<E extends PublishedEvent>(
  { client, name }: Bus,
  events: readonly E[],
): Promise<{ event: E; code: string }[]> {
  const command = new PutEventsCommand({ Entries: events.map((event) => entryOf(name, event)) });
  const { Entries: entries = [] } = await client.send(command, {
    abortSignal: AbortSignal.timeout(CALL_MILLISECONDS_MAX),
  });
  return events.flatMap((event, index) => {
    const code = entries[index]?.ErrorCode;
    return code === undefined ? [] : [{ event, code }];
  });
}

const entryOf = (busName: string, event: PublishedEvent): PutEventsRequestEntry => ({
  EventBusName: busName,
  Source: EVENT_SOURCE,
  DetailType: event.type,
  Time: new Date(event.at),
  Detail: JSON.stringify(event),
});
