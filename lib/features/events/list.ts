import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { following, followUntil } from '../../core/followers.ts';
import { type FeedPage, feedAfter, findFeedCount } from '../../core/items/feed.ts';
import type { listEvents as row } from './routes.ts';
import type { EventListView } from './shape.ts';

type FeedInput = Pick<RouteInput<typeof row>, 'query' | 'headers' | 'gone'>;

/**
 * Events of the tenant after a number. With `Accept: text/event-stream` it follows: the answer comes as soon
 * as there are events, at the latest after 10 s. Throws 422 for a number that no event has had yet, and
 * `too_many_followers`.
 */
export async function listEvents(
  deps: Pick<Deps, 'table' | 'clock'>,
  { query, headers, gone }: FeedInput,
  caller: Caller,
): Promise<EventListView> {
  const { tenantId } = caller;
  const asked = await begunAt(deps, askedAfter({ query, headers }), query.newest === true, tenantId);
  const read = async () => {
    const page = await feedAfter(deps.table, tenantId, asked.after ?? 0, query.limit);
    return eventListViewOf(page, asked);
  };
  if (headers.accept?.includes('text/event-stream') !== true) return read();
  const follower = { caller, of: ['events'] };
  return following(deps, follower, () =>
    followUntil(deps, gone, read, ({ resources }) => resources.length > 0),
  );
}

type Asked = { after: number | undefined; loc: [string, string] };

/** A client that reconnects says what it has seen last, whatever it asked for at first. */
function askedAfter({ query, headers }: FeedInput): Asked {
  const { lastEventId } = headers;
  if (lastEventId === undefined) return { after: query.after, loc: ['query', 'after'] };
  const loc: Asked['loc'] = ['header', 'last-event-id'];
  if (/^\d{1,15}$/.test(lastEventId)) return { after: Number(lastEventId), loc };
  const msg = 'Value error, the id of an event in a stream is its number';
  throw new ValidationError([{ loc, type: 'value_error', msg, input: lastEventId }]);
}

/** Who has seen no event yet and wants none of before begins after the newest one. */
async function begunAt(
  { table }: Pick<Deps, 'table'>,
  asked: Asked,
  fromNewest: boolean,
  tenantId: string,
): Promise<Asked> {
  if (!fromNewest || asked.after !== undefined) return asked;
  return { ...asked, after: (await findFeedCount(table, tenantId))?.count ?? 0 };
}

function eventListViewOf({ events, count }: FeedPage, { after, loc }: Asked): EventListView {
  const last = events.at(-1)?.number ?? count ?? 0;
  // Another installation's number, or this one's before its table was restored: what follows is not known.
  if (after !== undefined && after > last) {
    const msg = `Value error, the newest event of this tenant has the number ${last}; ask without 'after' to begin with the oldest`;
    throw new ValidationError([{ loc, type: 'value_error', msg, input: after }]);
  }
  const missed = after === undefined ? 0 : last - after - events.length;
  return { resources: events.map(({ number, event }) => ({ ...event, number })), after: last, missed };
}
