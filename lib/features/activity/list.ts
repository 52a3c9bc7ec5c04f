import { allows } from '../../contract/roles.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import { feedNewestFirst } from '../../core/items/feed.ts';
import { auditEvents } from '../audit/store.ts';
import type { listActivity as row, listDeploymentActivity as rowOfDeployment } from './routes.ts';
import { type Raw, TOGETHER_MILLISECONDS, type Told, tellerOf, timeOfAudit } from './told.ts';
import { activityViewOf } from './view.ts';

type ActivityDeps = Pick<Deps, 'table' | 'clock'>;
type Page = { limit: number; offset: number };

/** So much is looked through for a page, of events and of requests each: it bounds what a page can cost. */
const LOOKED_THROUGH_MAX = 1000;
const READ_AT_ONCE = 100;

/**
 * What happened in the tenant, newest first, in sentences: from its events and, for who may read them, its
 * audit events. Nothing is written for it. A page ends early where too much of no interest lies between.
 */
export const listActivity = (
  deps: ActivityDeps,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> => pageOfActivity(deps, query, caller, undefined);

/** What happened to a deployment. Throws `deployment_not_found`. */
export async function listDeploymentActivity(
  deps: ActivityDeps,
  { params, query }: Pick<RouteInput<typeof rowOfDeployment>, 'params' | 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof rowOfDeployment>> {
  const { id } = await getDeploymentItem(deps.table, caller.tenantId, params.deployment_id);
  return pageOfActivity(deps, query, caller, id);
}

async function pageOfActivity(
  deps: ActivityDeps,
  { limit, offset }: Page,
  caller: Caller,
  deploymentId: string | undefined,
): Promise<RouteOutput<typeof row>> {
  const told = await toldUpTo(deps, caller, offset + limit, deploymentId);
  const page = told.slice(offset, offset + limit);
  const resources = await Promise.all(page.map((each) => activityViewOf(deps, caller, each)));
  return { resources, offset: Math.min(offset, told.length) + page.length };
}

/** The newest entries, `wanted` at least where there are so many. */
async function toldUpTo(
  { table, clock }: ActivityDeps,
  caller: Caller,
  wanted: number,
  deploymentId: string | undefined,
): Promise<Told[]> {
  const { tenantId } = caller;
  const readsAudit = allows(caller.role, 'audit:read');
  const { told, tell } = tellerOf({ readsAudit });
  const raws = newestFirst(
    ofEvents(table, tenantId),
    readsAudit ? ofAudit(table, tenantId, clock.now()) : nothing(),
  );
  for await (const raw of raws) {
    // What belongs to the last entry may come a moment after it.
    const last = told[wanted - 1];
    if (last !== undefined && last.at - raw.at > TOGETHER_MILLISECONDS) break;
    if (deploymentId === undefined || deploymentOf(raw) === deploymentId) tell(raw);
  }
  return told;
}

const deploymentOf = (raw: Raw): string | undefined => {
  if ('audit' in raw) return raw.audit.deployment_id;
  return 'deployment_id' in raw.event ? raw.event.deployment_id : undefined;
};

type Table = ActivityDeps['table'];

async function* ofEvents(table: Table, tenantId: string): AsyncGenerator<Raw> {
  let count = 0;
  for await (const { event } of feedNewestFirst(table, tenantId, READ_AT_ONCE)) {
    yield { at: Date.parse(event.at), event };
    count += 1;
    if (count === LOOKED_THROUGH_MAX) return;
  }
}

async function* ofAudit(table: Table, tenantId: string, now: number): AsyncGenerator<Raw> {
  let count = 0;
  for await (const audit of auditEvents(table, { tenantId }, { limit: READ_AT_ONCE })) {
    // The table removes what has expired up to days later.
    if (audit.ttl * 1000 > now) yield { at: timeOfAudit(audit), audit };
    count += 1;
    if (count === LOOKED_THROUGH_MAX) return;
  }
}

// oxlint-disable-next-line eslint/require-yield -- of those who may not read the audit events
async function* nothing(): AsyncGenerator<Raw> {}

/** Two lists as one. Of the same moment the first one's come later, for a request comes after what it made. */
async function* newestFirst(events: AsyncGenerator<Raw>, requests: AsyncGenerator<Raw>): AsyncGenerator<Raw> {
  let [event, request] = await Promise.all([events.next(), requests.next()]);
  for (;;) {
    if (request.done !== true && (event.done === true || request.value.at >= event.value.at)) {
      yield request.value;
      request = await requests.next();
    } else if (event.done === true) {
      return;
    } else {
      yield event.value;
      event = await events.next();
    }
  }
}
