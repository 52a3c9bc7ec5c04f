import type { ListenerRef } from '../../contract/refs.ts';
import type { Deps } from '../../core/deps.ts';
import { findSeen, putSeen } from '../../core/items/listeners.ts';
import { watchPresence } from '../../core/items/presence.ts';
import { expectedAt } from '../../core/online.ts';
import { transact } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';

type SeenDeps = Pick<Deps, 'table' | 'clock'>;

/**
 * A sign of life is written at most this often: well within what counts as ONLINE, and a poll a second costs
 * no write.
 */
const WRITTEN_EVERY_MILLISECONDS = 20_000;

/**
 * A listener that calls after such a silence may have been told to be offline; well before that is told, so
 * that none is missed.
 */
const SILENCE_MILLISECONDS = 60_000;

/**
 * What was known of a listener when it called: since when it has had no work (epoch milliseconds), and how
 * often what it should run was changed beside its tasks.
 */
export type Noted = { workedAt: number; changes: number };

/**
 * Notes that a listener called, and how much later it is told to call again where that is not within seconds
 * (`nextSeconds`). Its own item, so that it never contends with anything. `isClaim` false: it reports, which
 * changes nothing about when it calls.
 */
export async function noteSeen(
  deps: SeenDeps,
  tenantId: string,
  listenerId: string,
  { isClaim, nextSeconds }: { isClaim: boolean; nextSeconds?: number | undefined },
): Promise<Noted> {
  const now = deps.clock.now();
  const seen = await findSeen(deps.table, tenantId, listenerId);
  const ref = { tenantId, listenerId };
  const workedAt = seen?.worked_at ?? now;
  const noted = { workedAt, changes: seen?.changes ?? 0 };
  const awaitedAt = seen === undefined ? undefined : expectedAt(seen);
  if (!isClaim && awaitedAt !== undefined && now < awaitedAt) return noted;
  const times = { at: now, worked_at: workedAt, watched: true, next_seconds: nextSeconds };
  const isNews = seen?.next_seconds !== nextSeconds;
  if (seen?.watched !== true || awaitedAt === undefined || now - awaitedAt >= SILENCE_MILLISECONDS)
    await transact(deps.table, [putSeen(ref, times), watchPresence(ref, now)]);
  else if (isNews || now - seen.at >= WRITTEN_EVERY_MILLISECONDS)
    await write(deps.table, putSeen(ref, times));
  return noted;
}

/** Notes that there was work for a listener, unless that was noted a moment ago. */
export async function noteWork(
  deps: SeenDeps,
  { tenantId, listenerId }: ListenerRef,
  { workedAt, nextSeconds }: { workedAt: number; nextSeconds: number | undefined },
): Promise<void> {
  const now = deps.clock.now();
  if (now - workedAt < WRITTEN_EVERY_MILLISECONDS) return;
  const times = { at: now, worked_at: now, next_seconds: nextSeconds };
  await write(deps.table, putSeen({ tenantId, listenerId }, times));
}
