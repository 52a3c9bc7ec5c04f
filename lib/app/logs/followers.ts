import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { refuse } from '../../contract/errors.ts';
import { followerSlots, leaveSlot, takeSlot } from '../../store/follower-slots.ts';
import type { Deps } from '../deps.ts';

/**
 * So many may follow logs and events of a tenant at once: on AWS each keeps a function busy, and one tenant
 * must not take those of all others. Waits for consent are not counted: their clients ask once and take a
 * 429 for the end.
 */
export const FOLLOWERS_MAX = 20;
/**
 * A client that follows asks again half a second after an answer: its place is kept for it until then, over a
 * slow network too.
 */
const BACK_WITHIN_MILLISECONDS = 3000;
/** How much longer than an answer may take a place is taken for, if it is never left. */
const SLACK_MILLISECONDS = 5000;
/** Each loser of a race looks again; after this many somebody else has always been faster. */
const RACES_MAX = 2 * FOLLOWERS_MAX;

type FollowDeps = Pick<Deps, 'table' | 'clock'>;
export type Follower = {
  tenantId: string;
  userId: string;
  keyId?: string | undefined;
  of: readonly string[];
};

/**
 * How long one answer of what is followed waits for something new, and how often it looks: within what a
 * gateway lets a request take.
 */
const FOLLOW_MILLISECONDS = 10_000;
const LOOK_EVERY_MILLISECONDS = 500;

/**
 * Looks again and again until there is something, the time for one answer is over, or who asks is `gone`: its
 * place is another's then.
 */
export async function followUntil<T>(
  { clock }: Pick<Deps, 'clock'>,
  gone: AbortSignal | undefined,
  look: () => Promise<T>,
  isSomething: (seen: T) => boolean,
): Promise<T> {
  const deadline = clock.now() + FOLLOW_MILLISECONDS;
  for (;;) {
    const seen = await look();
    if (isSomething(seen) || gone?.aborted === true || clock.now() >= deadline) return seen;
    await delay(LOOK_EVERY_MILLISECONDS, undefined, { signal: gone }).catch(() => undefined);
  }
}

/**
 * Does the work, which follows something for one answer, in one of the tenant's places for followers. Throws
 * `too_many_followers` when none is free.
 */
export async function following<T>(deps: FollowDeps, follower: Follower, work: () => Promise<T>): Promise<T> {
  const { table, clock } = deps;
  const held = await takePlace(deps, follower, FOLLOW_MILLISECONDS);
  try {
    return await work();
  } finally {
    // A place that cannot be left is free again when its time is over.
    const left = { ...held, until: clock.now() + BACK_WITHIN_MILLISECONDS };
    await leaveSlot(table, left).catch(() => undefined);
  }
}

async function takePlace({ table, clock }: FollowDeps, follower: Follower, milliseconds: number) {
  const digest = digestOf(follower);
  for (let race = 0; race < RACES_MAX; race++) {
    const now = clock.now();
    const taken = (await followerSlots(table, follower.tenantId)).filter(({ until }) => until > now);
    const own = taken.find((one) => one.follower === digest && one.lease_id === undefined);
    const busy = new Set(taken.map(({ slot }) => slot));
    const free = Array.from({ length: FOLLOWERS_MAX }, (_, slot) => slot).filter((slot) => !busy.has(slot));
    const leaseId = clock.randomId();
    // Not the first one: those who come at the same moment would all want that.
    const slot = own?.slot ?? free[Number.parseInt(leaseId.slice(0, 8), 16) % free.length];
    if (slot === undefined) break;
    const until = now + milliseconds + SLACK_MILLISECONDS;
    const place = { tenant_id: follower.tenantId, slot, follower: digest, lease_id: leaseId, until };
    if (await takeSlot(table, place, now)) return place;
  }
  throw refuse('too_many_followers', { limit: FOLLOWERS_MAX });
}

const digestOf = ({ userId, keyId = '', of }: Follower): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, keyId, ...of]))
    .digest('base64url');
