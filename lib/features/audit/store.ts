import {
  type AuditEvent,
  type AuditPlace,
  anyAuditEvent,
  auditEventKey,
  auditPk,
} from '../../core/items/audit-events.ts';
import { prefixAt } from '../../domain/ordered-id.ts';
import { absent, equals, present, put, update } from '../../store/dynamodb/expressions.ts';
import { find, queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import type { Key } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import { type Refusals, refusals } from './items.ts';

/** `hour`: its beginning, in epoch milliseconds. */
type RefusalsKey = { place: AuditPlace; hour: number; kind: 'known' | 'unknown' };

const refusalsKey = ({ place, hour, kind }: RefusalsKey): Key => ({
  pk: `${auditPk(place)}#AR`,
  sk: `${hour}#${kind}`,
});

/** Adds to the number of requests that an event stands for. */
export const countInAuditEvent = (place: AuditPlace, id: string, count: number): Write =>
  update('audit_event', auditEventKey(place, id), { add: { count } }, present('pk'));

const DAY_SECONDS = 86_400;

/** Who was refused in this hour; undefined: nobody yet. */
export const findRefusals = (table: Table, key: RefusalsKey): Promise<Refusals | undefined> =>
  find(table, refusalsKey(key), refusals);

/** Adds a caller; not made when another was added meanwhile. */
export function addCaller(
  key: RefusalsKey,
  before: Refusals | undefined,
  caller: string,
  eventId: string,
): Write {
  const item: Refusals = {
    v: 1,
    entity: 'refusals',
    version: (before?.version ?? 0) + 1,
    callers: { ...before?.callers, [caller]: eventId },
    // Lines of a log come late at times.
    ttl: Math.ceil(key.hour / 1000) + DAY_SECONDS,
  };
  const unchanged = before === undefined ? absent('pk') : equals('version', before.version);
  return put('refusals', { ...refusalsKey(key), ...item }, unchanged);
}

/** Sort before and after every id. */
const BEFORE_ALL = '0';
const AFTER_ALL = 'g';

/**
 * The audit events of a tenant, an organization or the installation, newest first, from `since` (included) to
 * `until` (not included), both in epoch milliseconds; `limit` are read at a time. Eventually consistent, at
 * half the price: they come by the stream, a moment after what they tell of.
 */
export async function* auditEvents(
  table: Table,
  place: AuditPlace,
  { since, until, limit }: { since?: number | undefined; until?: number | undefined; limit?: number },
): AsyncGenerator<AuditEvent> {
  const from = since === undefined ? BEFORE_ALL : prefixAt(since);
  const to = until === undefined ? AFTER_ALL : prefixAt(until);
  // The table refuses a range that ends before it begins.
  if (from > to) return;
  const { pk } = auditEventKey(place, '');
  yield* queryAll(table, anyAuditEvent, {
    pk,
    between: [from, to],
    newestFirst: true,
    eventually: true,
    ...(limit !== undefined && { limit }),
  });
}
