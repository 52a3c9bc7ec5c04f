import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { packedId } from '../../core/items/deployment-rows.ts';
import type { DeploymentRow, Listener } from '../../core/items/items.ts';
import { findSeen, listenerRows } from '../../core/items/listeners.ts';
import { isListenerOnline } from '../../core/online.ts';
import { collected } from '../../store/dynamodb/collected.ts';
import { apiKeyRows } from '../api-keys/store.ts';
import { keyEnd } from './names.ts';
import type { AttentionEntry } from './shape.ts';

type ReadDeps = Pick<Deps, 'table' | 'clock'>;

export type SilentListener = { id: string; entry: AttentionEntry };

/** Listeners that do not call though deployments are theirs. */
export async function offlineListeners(
  deps: ReadDeps,
  tenantId: string,
  rows: readonly DeploymentRow[],
): Promise<SilentListener[]> {
  const listeners = await collected(listenerRows(deps.table, tenantId));
  const found = await Promise.all(
    listeners.map(async (listener) => {
      const packed = packedId(listener.id);
      const waiting = rows.filter((row) => row.listener === packed).map(({ name }) => name);
      if (waiting.length === 0 || (await isListenerOnline(deps, tenantId, listener.id))) return undefined;
      const seenAt = (await findSeen(deps.table, tenantId, listener.id))?.at;
      return { id: listener.id, entry: offline(listener, seenAt, waiting) };
    }),
  );
  return found.filter((each) => each !== undefined);
}

/** `seenAt`: when it last called, in epoch milliseconds. */
function offline(listener: Listener, seenAt: number | undefined, waiting: readonly string[]): AttentionEntry {
  const { id, compute_id: name } = listener;
  return {
    kind: 'listener_offline',
    since: seenAt === undefined ? listener.created_at : new Date(seenAt).toISOString(),
    deployment: null,
    revision: null,
    subject: { id, name },
    says: seenAt === undefined ? `Listener ${name} was never started` : `Listener ${name} is offline`,
    effect: waitsFor(waiting),
    ends_at: null,
  };
}

function waitsFor([first = '', second, ...rest]: readonly string[]): string {
  if (second === undefined) return `${first} waits for it.`;
  if (rest.length === 0) return `${first} and ${second} wait for it.`;
  return `${first}, ${second} and ${rest.length === 1 ? '1 other' : `${rest.length} others`} wait for it.`;
}

const DAY_MILLISECONDS = 86_400_000;
/** So long before a key ends somebody should make the next, and so long after its end it is still told. */
const SOON_DAYS = 7;
const ENDED_DAYS = 3;
const KEYS_PER_READ = 500;

/** Keys of the tenant that end soon, or have just ended; those of sessions, logins and jobs end by design. */
export async function endingKeys({ table, clock }: ReadDeps, caller: Caller): Promise<AttentionEntry[]> {
  const { organizationId, tenantId } = caller;
  const now = clock.now();
  const rows = await collected(apiKeyRows(table, { organizationId, tenantId }, KEYS_PER_READ));
  const found = await Promise.all(
    rows.map(async ({ sk: id, hash, last_used_at: usedAt }) => {
      const key = await keyEnd(table, hash);
      const endsAt = key?.endsAt;
      if (key === undefined || endsAt === undefined) return undefined;
      const left = Date.parse(endsAt) - now;
      if (left > SOON_DAYS * DAY_MILLISECONDS || left < -ENDED_DAYS * DAY_MILLISECONDS) return undefined;
      const isUsed = usedAt !== undefined && now - usedAt < SOON_DAYS * DAY_MILLISECONDS;
      return ending({ id, name: key.name, endsAt, left, isUsed, isListeners: key.isListeners });
    }),
  );
  return found.filter((entry) => entry !== undefined);
}

type Ending = {
  id: string;
  name: string;
  endsAt: string;
  left: number;
  isUsed: boolean;
  isListeners: boolean;
};

function ending({ id, name, endsAt, left, isUsed, isListeners }: Ending): AttentionEntry {
  const days = Math.floor(left / DAY_MILLISECONDS);
  const when =
    left < 0 ? 'has ended' : days === 0 ? 'ends today' : `ends in ${days === 1 ? '1 day' : `${days} days`}`;
  const use = isListeners
    ? 'A listener works with it.'
    : isUsed
      ? 'It was used this week.'
      : 'Nobody has used it this week.';
  return {
    kind: 'key_expiring',
    since: new Date(Date.parse(endsAt) - SOON_DAYS * DAY_MILLISECONDS).toISOString(),
    deployment: null,
    revision: null,
    subject: { id, name },
    says: `The access key “${name}” ${when}`,
    effect: left < 0 ? `${use} Requests with it are refused.` : `${use} Make a new one before it ends.`,
    ends_at: endsAt,
  };
}
