import type { AuditAction } from '../../contract/audit.ts';
import type { RefusalNote } from '../../contract/note-lines.ts';
import type { AuditLog, HandedOut } from '../../core/audit.ts';
import type { Deps } from '../../core/deps.ts';
import {
  type AuditEvent,
  type AuditPlace,
  auditEventOf,
  auditTtl,
  putAuditEvent,
} from '../../core/items/audit-events.ts';
import { findTenant, tenantIdIn } from '../../core/items/tenants.ts';
import { retryRaces } from '../../store/dynamodb/transact.ts';
import { write, writeAll } from '../../store/dynamodb/write.ts';
import { CALLERS_MAX, callerKindOf, countedRefusals, withoutCaller } from './count-refusals.ts';
import { addCaller, countInAuditEvent, findRefusals } from './store.ts';

type NoteDeps = Pick<Deps, 'table' | 'settings'>;

const ACTION: AuditAction = 'request.refuse';

/**
 * Counts refused requests: one audit event for each hour and caller, under the id of the first. Whose audit
 * it is in: that of the tenant whose key it was, else of the key's organization, else of the tenant that the
 * request named, else of the installation. A note that is delivered twice counts twice.
 */
export async function noteRefusal(deps: NoteDeps, note: RefusalNote): Promise<void> {
  const place = await placeOf(deps, note);
  await retryRaces(deps.table, () => counted(deps, place, note));
}

async function counted(deps: NoteDeps, place: AuditPlace, given: RefusalNote): Promise<void> {
  const key = { place, hour: given.hour, kind: callerKindOf(given) };
  const before = await findRefusals(deps.table, key);
  const callers = new Map(Object.entries(before?.callers ?? {}));
  const isOneTooMany = !callers.has(given.caller) && callers.size >= CALLERS_MAX;
  const note = isOneTooMany ? withoutCaller(given) : given;
  const known = callers.get(note.caller);
  const writes =
    known === undefined
      ? [addCaller(key, before, note.caller, note.id), putAuditEvent(place, eventOf(deps, place, note))]
      : [countInAuditEvent(place, known, note.count)];
  await writeAll(deps.table, writes);
}

function eventOf({ settings }: NoteDeps, place: AuditPlace, note: RefusalNote): AuditEvent {
  const { user_id, key_id, request_id, details, count } = note;
  // Administrators of every organization read what is the installation's.
  const isShownToAll = place === 'installation';
  return {
    v: 2,
    entity: 'audit_event',
    sk: note.id,
    action: ACTION,
    ...(!isShownToAll && user_id !== undefined && { user_id }),
    ...(!isShownToAll && key_id !== undefined && { key_id }),
    request_id,
    details,
    count,
    ttl: auditTtl(note.id, settings.auditDays),
  };
}

async function placeOf(
  { table }: NoteDeps,
  { tenant_id, organization_id, claimed_tenant_id: claimed }: RefusalNote,
): Promise<AuditPlace> {
  if (tenant_id !== undefined) return { tenantId: tenant_id };
  if (organization_id !== undefined) return { organizationId: organization_id };
  const id = claimed && tenantIdIn(claimed);
  const found = id ? await findTenant(table, id) : undefined;
  return found === undefined ? 'installation' : { tenantId: found.tenant_id };
}

/** Writes down that a request was given a credential or a secret; the same item however often it is written. */
export async function noteHandOut(
  { table, settings }: Pick<Deps, 'table' | 'settings'>,
  { deployment_id, subject_id, ...mark }: HandedOut,
): Promise<void> {
  const of = {
    ...(deployment_id !== undefined && { deployment_id }),
    ...(subject_id !== undefined && { subject_id }),
  };
  const event = auditEventOf(mark, of, settings.auditDays);
  await write(table, putAuditEvent({ tenantId: mark.tenant_id }, event));
}

/**
 * The audit log that writes at once, behind the answer: where nothing stands between a request and the table.
 * `onError` gets what fails.
 */
export function writtenAuditLog(
  deps: Pick<Deps, 'table' | 'settings'>,
  onError: (error: unknown) => void,
): AuditLog {
  return {
    handedOut: (event) => {
      noteHandOut(deps, event).catch(onError);
    },
    refused: countedRefusals((note) => {
      noteRefusal(deps, note).catch(onError);
    }),
  };
}
