/** So long after its end it can still be asked how a request went. */
const ASKED_SECONDS = 3600;

/** When a request that may take so long from `now` (epoch milliseconds) on is over, and forgotten. */
export const lifeOf = (now: number, seconds: number): { expires_at: number; ttl: number } => ({
  expires_at: now + seconds * 1000,
  ttl: Math.ceil(now / 1000) + seconds + ASKED_SECONDS,
});
