import type { Situation } from './situation.ts';

/**
 * How a listener is silent to which a deploy is offered: it never took it, or it did and has not been heard
 * since.
 */
export type Silence = 'unclaimed' | 'unheard';

/**
 * Whether the listener has been silent for longer than it may be, as far as one look can tell. Undefined: it
 * has not, nothing is offered to it, or nobody has asked. A listener that asks for work is busy, not absent:
 * its silence counts from the last time it asked. A task that is offered again waits for at least one lease,
 * since the silence may have been our own outage, in which no listener could report.
 */
export function silenceOf({ task, listenerSeenAt, now, limits }: Situation): Silence | undefined {
  if (task?.kind !== 'DEPLOY' || task.state !== 'offered' || listenerSeenAt === 'not_asked') return undefined;
  const { offeredAt, lastHeartbeatAt } = task;
  const seenAt = listenerSeenAt ?? 0;
  if (lastHeartbeatAt === undefined) {
    const since = Math.max(offeredAt, seenAt);
    return now >= since + limits.unclaimedMilliseconds ? 'unclaimed' : undefined;
  }
  const silentSince = Math.max(lastHeartbeatAt, seenAt) + limits.silentMilliseconds;
  const offeredFor = offeredAt + limits.leaseMilliseconds;
  return now >= Math.max(silentSince, offeredFor) ? 'unheard' : undefined;
}
