import { ValidationError } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { following, followUntil } from '../../core/followers.ts';
import { type FeedEvent, type FeedPage, feedAfter, findFeedCount } from '../../core/items/feed.ts';
import type { listEvents as row } from './routes.ts';
import type { EventListView } from './shape.ts';

/** So many events are looked through for one page of those of a deployment. */
const LOOKED_THROUGH_MAX = 1000;

type FeedInput = Pick<RouteInput<typeof row>, 'query' | 'headers' | 'gone'>;

/**
 * Events of the tenant after a number. With `Accept: text/event-stream` it follows: the answer comes as soon
 * as there are events, at the latest after 10 s. Of one deployment, if one is named: then a page may have
 * fewer than `limit` events before the end. Throws 422 for a number that no event has had yet, and
 * `too_many_followers`.
 */
export async function listEvents(
  deps: Pick<Deps, 'table' | 'clock' | 'changes'>,
  { query, headers, gone }: FeedInput,
  caller: Caller,
): Promise<EventListView> {
  const { tenantId } = caller;
  const asked = await begunAt(deps, askedAfter({ query, headers }), query.newest === true, tenantId);
  const { deployment_id: of, limit } = query;
  let { after } = asked;
  const read = async () => {
    const atOnce = of === undefined ? limit : LOOKED_THROUGH_MAX;
    const page = await feedAfter(deps.table, tenantId, after ?? 0, atOnce);
    const view = eventListViewOf(page, { ...asked, after }, { of, limit });
    // Who follows goes on behind what was looked through: other deployments may have many events.
    if (view.resources.length === 0) ({ after } = view);
    return view;
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

function eventListViewOf(
  { events, count }: FeedPage,
  { after, loc }: Asked,
  { of, limit }: { of: string | undefined; limit: number },
): EventListView {
  const last = events.at(-1)?.number ?? count ?? 0;
  // Another installation's number, or this one's before its table was restored: what follows is not known.
  if (after !== undefined && after > last) {
    const msg = `Value error, the newest event of this tenant has the number ${last}; ask without 'after' to begin with the oldest`;
    throw new ValidationError([{ loc, type: 'value_error', msg, input: after }]);
  }
  const own = of === undefined ? events : events.filter(({ event }) => isOf(of, event));
  const shown = own.slice(0, limit);
  // Behind the last one that is shown, if there is no room for those that were found after it.
  const end = shown.length < own.length ? (shown.at(-1)?.number ?? last) : last;
  const lookedThrough = events.filter(({ number }) => number <= end).length;
  const missed = after === undefined ? 0 : end - after - lookedThrough;
  return { resources: shown.map(({ number, event }) => ({ ...event, number })), after: end, missed };
}

const isOf = (deploymentId: string, event: FeedEvent['event']): boolean =>
  'deployment_id' in event && event.deployment_id === deploymentId;
