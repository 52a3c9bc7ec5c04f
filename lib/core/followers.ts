import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { refuse } from '../contract/errors.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import {
  type FollowerSlot,
  followerSlots,
  leaveFollowerSlot,
  takeFollowerSlot,
} from './items/follower-slots.ts';

/**
 * So many may follow logs and events of a tenant at once: on AWS each keeps a function busy, and one tenant
 * must not take those of all others. Waits for consent are not counted: their clients ask once and take a
 * 429 for the end.
 */
export const FOLLOWERS_MAX = 20;
/**
 * So many of them are kept for other people: only who follows nothing yet may have one of the last. Whoever
 * takes all that they may leaves a place for each of these.
 */
export const KEPT_FOR_OTHERS = 3;
const FOLLOWERS_OF_ONE_MAX = FOLLOWERS_MAX - KEPT_FOR_OTHERS;
/**
 * A client that follows asks again half a second after an answer: its place is kept for it until then, over a
 * slow network too.
 */
const BACK_WITHIN_MILLISECONDS = 3000;
/** How much longer than an answer may take a place is taken for, if it is never left. */
const SLACK_MILLISECONDS = 5000;
/** Each loser of a race tries again; after this many somebody else has always been faster. */
const RACES_MAX = 2 * FOLLOWERS_MAX;

type FollowDeps = Pick<Deps, 'table' | 'clock' | 'changes'>;
export type Follower = {
  /** Who asks. */
  caller: Pick<Caller, 'tenantId' | 'userId' | 'keyId' | 'maker'>;
  of: readonly string[];
};

/**
 * How long one answer of what is followed waits for something new, and how often it checks at most: within
 * what a gateway lets a request take.
 */
const FOLLOW_MILLISECONDS = 10_000;
const CHECK_EVERY_MILLISECONDS = 500;

/**
 * Reads again and again until there is something, the time for one answer is over, or who asks is `gone`: its
 * place is another's then. Where changes are heard of, it reads again after one, and once more at the end.
 */
export async function followUntil<T>(
  { clock, changes }: Pick<Deps, 'clock' | 'changes'>,
  gone: AbortSignal | undefined,
  read: () => Promise<T>,
  isSomething: (seen: T) => boolean,
): Promise<T> {
  const deadline = clock.now() + FOLLOW_MILLISECONDS;
  for (;;) {
    const news = changes?.next();
    try {
      const seen = await read();
      if (isSomething(seen) || gone?.aborted === true || clock.now() >= deadline) return seen;
      await pause(CHECK_EVERY_MILLISECONDS, gone);
      if (news !== undefined) await within(news.came, deadline - clock.now(), gone);
    } finally {
      news?.forget();
    }
  }
}

/** Ends early when who asks is `gone`. */
const pause = (milliseconds: number, gone: AbortSignal | undefined): Promise<void> =>
  delay(milliseconds, undefined, { signal: gone }).catch(() => undefined);

async function within(
  came: Promise<void>,
  milliseconds: number,
  gone: AbortSignal | undefined,
): Promise<void> {
  const heard = new AbortController();
  const signal = AbortSignal.any([heard.signal, ...(gone === undefined ? [] : [gone])]);
  await Promise.race([came, pause(Math.max(0, milliseconds), signal)]);
  heard.abort();
}

/**
 * Does the work, which follows something for one answer, in one of the tenant's places for followers. Throws
 * `too_many_followers` when none is free, or those that are left are kept for others.
 */
export async function following<T>(deps: FollowDeps, follower: Follower, work: () => Promise<T>): Promise<T> {
  const { table, clock } = deps;
  const held = await takePlace(deps, follower, FOLLOW_MILLISECONDS);
  try {
    return await work();
  } finally {
    // A place that cannot be left is free again when its time is over.
    const left = { ...held, until: clock.now() + BACK_WITHIN_MILLISECONDS };
    await leaveFollowerSlot(table, left).catch(() => undefined);
  }
}

type Place = Parameters<typeof takeFollowerSlot>[1];

async function takePlace(deps: FollowDeps, follower: Follower, milliseconds: number): Promise<Place> {
  const { table, clock } = deps;
  const { tenantId } = follower.caller;
  const who = whoIs(follower);
  const digest = digestOf(follower, who);
  for (let race = 0; race < RACES_MAX; race++) {
    const now = clock.now();
    const taken = await takenAt(table, tenantId, now);
    const leaseId = clock.randomId();
    const own = taken.find((one) => one.follower === digest && one.lease_id === undefined);
    const slot = own?.slot ?? freeSlot(taken, { who, leaseId });
    if (slot === undefined) break;
    const until = now + milliseconds + SLACK_MILLISECONDS;
    const place = { tenant_id: tenantId, slot, who, follower: digest, lease_id: leaseId, until };
    if (!(await takeFollowerSlot(table, place, now))) continue;
    if (own !== undefined || slot < FOLLOWERS_OF_ONE_MAX || (await isOnly(deps, place))) return place;
  }
  throw refuse('too_many_followers', { limit: FOLLOWERS_MAX, keptForOthers: KEPT_FOR_OTHERS });
}

const takenAt = async (table: Deps['table'], tenantId: string, now: number): Promise<FollowerSlot[]> =>
  (await followerSlots(table, tenantId)).filter(({ until }) => until > now);

/**
 * A free place that this one may have: one of the last only without any other. All requests of one person
 * that find the same places free want the same of the last, so that the condition of the write lets one of
 * them have it.
 */
function freeSlot(
  taken: readonly FollowerSlot[],
  { who, leaseId }: { who: string; leaseId: string },
): number | undefined {
  const busy = new Set(taken.map(({ slot }) => slot));
  const free = Array.from({ length: FOLLOWERS_MAX }, (_, slot) => slot).filter((slot) => !busy.has(slot));
  const forAll = free.filter((slot) => slot < FOLLOWERS_OF_ONE_MAX);
  const mayTakeLast = !taken.some((one) => one.who === who);
  // Not the first one: those who come at the same moment would all want that.
  if (forAll.length > 0 || !mayTakeLast) return forAll[numberOf(leaseId) % forAll.length];
  const first = FOLLOWERS_OF_ONE_MAX + (numberOf(hashOf(who)) % KEPT_FOR_OTHERS);
  return free.find((slot) => slot >= first) ?? free[0];
}

/** Of text that begins with eight hexadecimal digits. */
const numberOf = (text: string): number => Number.parseInt(text.slice(0, 8), 16);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Whether one of the last places is the only one of whoever has taken it; of several that were taken at the
 * same moment the first stays, and this one is given back.
 */
async function isOnly({ table, clock }: FollowDeps, place: Place): Promise<boolean> {
  const now = clock.now();
  const taken = await takenAt(table, place.tenant_id, now);
  if (!taken.some(({ who, slot }) => who === place.who && slot < place.slot)) return true;
  await leaveFollowerSlot(table, { ...place, until: now });
  return false;
}

/** Each key is one follower: those of one user may be of several programs. Sessions of a user are one person's. */
const whoIs = ({ caller: { userId, keyId, maker } }: Follower): string =>
  maker.kind === 'key' ? `key ${keyId}` : `user ${userId}`;

const digestOf = ({ of }: Follower, who: string): string =>
  createHash('sha256')
    .update(JSON.stringify([who, ...of]))
    .digest('base64url');
