import type { Caller } from '../../core/caller.ts';
import { ownKey } from '../../core/identity/own-key.ts';
import { findApiKey, isLent } from '../../core/items/api-keys.ts';
import { findListener } from '../../core/items/listeners.ts';
import type { Table } from '../../store/table.ts';
import { findRow } from '../deployments/store.ts';
import type { Actor } from './shape.ts';

/** What never changes once it is there, as far as this process has read it. */
const remembered = new WeakMap<Table, Map<string, Promise<unknown>>>();
/** A process that answers for more things than this forgets some. */
const REMEMBERED_MAX = 10_000;

/**
 * Reads something once for as long as the process lives. What was not there, or could not be read, is read
 * again.
 */
async function once<T>(table: Table, id: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
  const known = remembered.get(table) ?? new Map<string, Promise<unknown>>();
  remembered.set(table, known);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each id begins with the kind that was read under it
  const before = known.get(id) as Promise<T | undefined> | undefined;
  if (before !== undefined) return before;
  if (known.size >= REMEMBERED_MAX) known.clear();
  const reading = read();
  known.set(id, reading);
  try {
    const found = await reading;
    if (found === undefined) known.delete(id);
    return found;
  } catch (error) {
    known.delete(id);
    throw error;
  }
}

/** The name of a deployment, which it keeps for life. Undefined: it is gone. */
export const deploymentName = (
  table: Table,
  tenantId: string,
  deploymentId: string,
): Promise<string | undefined> =>
  once(table, `deployment ${tenantId} ${deploymentId}`, async () => {
    const lists = { table, tenantId, others: true, deleted: true };
    return (await findRow(lists, deploymentId))?.name;
  });

/** What a listener is called, for life. Undefined: it is gone. */
export const listenerName = (
  table: Table,
  tenantId: string,
  listenerId: string,
): Promise<string | undefined> =>
  once(
    table,
    `listener ${tenantId} ${listenerId}`,
    async () => (await findListener(table, tenantId, listenerId))?.compute_id,
  );

/** The ids that Slipway makes, of keys and of users of its own, say nothing to people. */
const OWN_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

type KeyFacts = { name: string; ci: string | undefined };
type Of = Pick<Caller, 'tenantId' | 'organizationId'>;

/**
 * What a key is called: of a session of the console, and of a program that was let in, what it was made with.
 * Undefined: it is gone.
 */
export const keyFacts = (table: Table, of: Of, keyId: string): Promise<KeyFacts | undefined> =>
  once(table, `key ${of.tenantId} ${keyId}`, async () => {
    // A bearer token is no key.
    const key = OWN_ID.test(keyId) ? (await ownKey({ table }, { ...of, keyId }))?.key : undefined;
    if (key === undefined) return undefined;
    const { exchange, made_with: hash } = key;
    const maker = hash === undefined ? undefined : await findApiKey(table, hash);
    return { name: (maker ?? key).name, ci: exchange && (exchange.repository ?? exchange.issuer) };
  });

type KeyEnd = { name: string; endsAt: string | undefined; isListeners: boolean };

/** When a key ends, by its hash; without an end where that is by design, as of a session. Undefined: it is gone. */
export const keyEnd = (table: Table, hash: string): Promise<KeyEnd | undefined> =>
  once(table, `end ${hash}`, async () => {
    const key = await findApiKey(table, hash);
    if (key === undefined || key.revoked_at !== undefined) return undefined;
    const { name, expires_at: endsAt, listener_id: listenerId } = key;
    return { name, endsAt: isLent(key) ? undefined : endsAt, isListeners: listenerId !== undefined };
  });

/** Who did something; null where that is not known. A member has the name that the identity provider gives. */
export async function actorOf(
  table: Table,
  of: Of,
  { userId, keyId }: { userId: string | undefined; keyId: string | undefined },
): Promise<Actor | null> {
  if (userId === undefined) return null;
  const key = keyId === undefined ? undefined : await keyFacts(table, of, keyId);
  if (key?.ci !== undefined) return { kind: 'service', name: `CI of ${key.ci}` };
  if (!OWN_ID.test(userId)) return { kind: 'person', name: userId };
  return key === undefined ? null : { kind: 'key', name: key.name };
}
