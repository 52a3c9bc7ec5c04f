import { allows } from '../../contract/roles.ts';
import type { RouteInput, RouteOutput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { AuditEvent, AuditPlace } from '../../core/items/audit-events.ts';
import { pageOf } from '../../core/page.ts';
import { timeOf } from '../../domain/ordered-id.ts';
import type { listAuditEvents as row } from './routes.ts';
import type { AuditEventView } from './shape.ts';
import { auditEvents } from './store.ts';

/**
 * Who did what in the tenant, newest first; for an administrator of the organization also who was refused
 * where no tenant is known: with a key of the organization, or with nothing that is good.
 */
export async function listAuditEvents(
  { table, clock }: Pick<Deps, 'table' | 'clock'>,
  { query }: Pick<RouteInput<typeof row>, 'query'>,
  caller: Caller,
): Promise<RouteOutput<typeof row>> {
  const range = { since: query.since, until: query.until };
  const events = newestFirst(placesOf(caller).map((place) => auditEvents(table, place, range)));
  const page = await pageOf(wanted(events, query, clock.now()), query);
  return { resources: page.rows.map(auditEventViewOf), offset: page.offset };
}

async function* wanted(
  events: AsyncIterable<AuditEvent>,
  query: Query,
  now: number,
): AsyncGenerator<AuditEvent> {
  // The table removes what has expired up to days later.
  for await (const event of events) if (event.ttl * 1000 > now && matches(event, query)) yield event;
}

function placesOf({ tenantId, organizationId, role }: Caller): AuditPlace[] {
  if (!allows(role, 'organization_audit:read')) return [{ tenantId }];
  return [{ tenantId }, { organizationId }, 'installation'];
}

type Query = RouteInput<typeof row>['query'];

const matches = (event: AuditEvent, { action, user_id, deployment_id }: Query): boolean =>
  (action === undefined || event.action === action) &&
  (user_id === undefined || event.user_id === user_id) &&
  (deployment_id === undefined || event.deployment_id === deployment_id);

function auditEventViewOf(event: AuditEvent): AuditEventView {
  return {
    id: event.sk,
    at: new Date(timeOf(event.sk)).toISOString(),
    action: event.action,
    user_id: event.user_id ?? null,
    key_id: event.key_id ?? null,
    request_id: event.request_id ?? null,
    count: event.count ?? 1,
    details: event.details ?? {},
    resource_type: event.action.split('.')[0] ?? '',
    resource_id: event.subject_id ?? event.deployment_id ?? null,
    deployment_id: event.deployment_id ?? null,
  };
}

type Identified = { sk: string };

/** Walks over several lists that are newest first as over one: ids tell the time. */
async function* newestFirst<T extends Identified>(lists: AsyncGenerator<T>[]): AsyncGenerator<T> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let newest: { at: number; value: T } | undefined;
    for (const [at, head] of heads.entries()) {
      if (head.done !== true && (newest === undefined || head.value.sk > newest.value.sk))
        newest = { at, value: head.value };
    }
    const list = newest && lists[newest.at];
    if (newest === undefined || list === undefined) return;
    yield newest.value;
    heads[newest.at] = await list.next();
  }
}
