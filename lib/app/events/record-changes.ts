import * as z from 'zod';
import type { Unpublished } from '../../adapters/events.ts';
import type { ListenerEvent, OtherEvent } from '../../contract/events.ts';
import type { Deps } from '../../core/deps.ts';
import {
  auditedBy,
  type ChangedItem,
  type ChangeRecord,
  changedItem,
  newsOf,
} from '../../core/events/changed-item.ts';
import { type EventMemory, newMemory } from '../../core/events/feed-writer.ts';
import { publishNews } from '../../core/events/publish.ts';
import { deploymentOf } from '../../core/items/item-places.ts';
import { auditEventOf, putAuditEvent } from '../../store/audit-events.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { writeAll } from '../../store/dynamodb/write.ts';
import { publishOthers } from './publish-others.ts';
import { tokenEventsOf } from './token-changes.ts';
import { wakesOf, webhookEventsOf } from './webhook-changes.ts';

type ChangeDeps = Pick<Deps, 'table' | 'clock' | 'events' | 'settings' | 'webhookWaker'>;
type RecordDeps = ChangeDeps & EventMemory;
type OnError = (error: unknown, pk: string) => void;

/** A transaction takes a hundred writes. */
const WRITES_MAX = 100;

/**
 * Makes audit events and published events of what changed. The stream is the outbox: a request writes
 * nothing twice.
 *
 * Why nothing is lost, and nothing published out of order: a record is delivered until this says that it is
 * done, and five times at least before it is set aside. Events are numbered and stored in the tenant's feed
 * in one transaction before they are published, in the order of the stream. A record that is delivered
 * again finds its number there, and is published again under it. Events that cannot be published (the bus
 * is out of reach for longer than its client tries) are stored with their numbers, and sweep publishes
 * them. Beside the count stands how much of each revision is published. What the stream has lost (it keeps
 * a record for a day) is published from the revisions' histories before whatever comes next, or when sweep
 * looks once at a revision that has ended. Audit events are items under ids that the requests chose, so
 * that a record delivered twice writes the same item twice.
 *
 * What is made here remembers counts from one call to the next. It returns the sequence numbers of records
 * to be delivered again.
 */
export function changesRecorder(): (
  deps: ChangeDeps,
  records: readonly ChangeRecord[],
  onError: OnError,
) => Promise<string[]> {
  const memory = newMemory();
  return (deps, records, onError) => recordChanges({ ...deps, ...memory }, records, onError);
}

async function recordChanges(
  deps: RecordDeps,
  records: readonly ChangeRecord[],
  onError: OnError,
): Promise<string[]> {
  const failed = await Promise.all(
    [...Map.groupBy(records, ({ pk }) => pk)].map(async ([pk, own]) => {
      try {
        const changes = own.map(changedItem);
        await recordAudit(deps, changes);
        for (const wake of changes.flatMap(wakesOf)) await deps.webhookWaker.wake(wake);
        const unpublished =
          (await recordEvents(deps, pk, changes)) ??
          (await publishOthers(deps, changes.flatMap(otherEventsOf)));
        if (unpublished !== undefined)
          onError(new Error(`events are kept for sweep to publish: ${unpublished.reason}`), pk);
        return [];
      } catch (error) {
        onError(error, pk);
        return own.map(({ sequenceNumber }) => sequenceNumber);
      }
    }),
  );
  return failed.flat();
}

async function recordAudit(deps: RecordDeps, changes: ChangedItem[]): Promise<void> {
  const writes = changes.flatMap((change): Write[] => {
    const found = auditedBy(change);
    if (found === undefined) return [];
    const { mark, of } = found;
    return [putAuditEvent({ tenantId: mark.tenant_id }, auditEventOf(mark, of, deps.settings.auditDays))];
  });
  await inTransactions(deps, writes);
}

async function recordEvents(
  deps: RecordDeps,
  pk: string,
  changes: ChangedItem[],
): Promise<Unpublished | undefined> {
  const owner = deploymentOf(pk);
  const news = changes.flatMap(newsOf);
  return owner === undefined || news.length === 0 ? undefined : publishNews(deps, owner, news);
}

/** Tokens, connections, listeners and webhooks count their changes themselves. */
const otherEventsOf = (change: ChangedItem): OtherEvent[] => [
  ...tokenEventsOf(change),
  ...listenerEventsOf(change),
  ...webhookEventsOf(change),
];

async function inTransactions({ table }: RecordDeps, writes: Write[]): Promise<void> {
  for (let start = 0; start < writes.length; start += WRITES_MAX) {
    await writeAll(table, writes.slice(start, start + WRITES_MAX));
  }
}

/** What is read of the images, whatever else later versions of the items hold. */
const presenceImage = z.object({
  tenant_id: z.string(),
  listener_id: z.string(),
  online: z.boolean().optional(),
  changes: z.int(),
  at: z.string().optional(),
});

/** That a listener went offline, or came online. */
function listenerEventsOf({ before, after }: ChangedItem): ListenerEvent[] {
  if (after?.entity !== 'listener_presence') return [];
  const { tenant_id, listener_id, online, changes, at } = presenceImage.parse(after);
  if (online === undefined || at === undefined || before?.changes === changes) return [];
  const type = online ? 'listener.online' : 'listener.offline';
  return [{ id: `${listener_id}:${changes}:${type}`, type, sequence: changes, at, tenant_id, listener_id }];
}
