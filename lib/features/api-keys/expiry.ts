import { ValidationError, type ValidationItem } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import type { Caller, KeyMaker } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import type { CreateApiKeyBody } from './shape.ts';

/** The latest possible end of a new key, in epoch milliseconds, and what it is the end of. */
type LatestEnd = { at: number; of: 'key' | 'opener' | 'days' };

const DAY_MILLISECONDS = 86_400_000;

/**
 * How long a new key may be good; undefined: without end. No key outlives what it was made with, through any
 * number of keys between. What is made by hand, in a session or with a bearer token, ends after `keyDays` at
 * the latest, unless a listener lives by it.
 */
export function latestEnd(
  { kind, endsAt }: KeyMaker,
  role: Role,
  { now, keyDays }: { now: number; keyDays: number },
): LatestEnd | undefined {
  const ofMaker: LatestEnd | undefined =
    endsAt === undefined ? undefined : { at: endsAt, of: kind === 'key' ? 'key' : 'opener' };
  if (kind === 'key' || role === 'listener') return ofMaker;
  const ofDays: LatestEnd = { at: now + keyDays * DAY_MILLISECONDS, of: 'days' };
  return ofMaker !== undefined && ofMaker.at <= ofDays.at ? ofMaker : ofDays;
}

/** When the key ends (ISO 8601): as asked for, else as late as it may; undefined: never. */
export function keyExpiryOf(
  { clock, settings: { keyDays } }: Pick<Deps, 'clock' | 'settings'>,
  { expires_at: at, role }: CreateApiKeyBody,
  { maker }: Caller,
): string | undefined {
  const now = clock.now();
  const latest = latestEnd(maker, role, { now, keyDays });
  const end = at ?? latest?.at;
  if (end === undefined) return undefined;
  const text = new Date(end).toISOString();
  if (end <= now)
    throw wrongExpiry({ type: 'datetime_future', msg: 'Input should be in the future', input: text });
  if (latest !== undefined && end > latest.at) {
    const le = new Date(latest.at).toISOString();
    const msg = `Input should be less than or equal to ${le}: ${reasonOf(latest, keyDays)}`;
    throw wrongExpiry({ type: 'less_than_equal', msg, input: text, ctx: { le } });
  }
  return text;
}

const wrongExpiry = (problem: Omit<ValidationItem, 'loc'>): ValidationError =>
  new ValidationError([{ loc: ['body', 'expires_at'], ...problem }]);

function reasonOf({ of }: LatestEnd, keyDays: number): string {
  if (of === 'key') return 'a key ends no later than the one that it is made with';
  if (of === 'opener')
    return 'a key made in the console ends no later than the key that the session was opened with';
  return `keys made in the console or with a bearer token end within ${keyDays} days; leave it out for the longest`;
}
