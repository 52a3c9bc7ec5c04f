const KEPT_SECONDS = 30 * 86_400;

/**
 * When the table drops what was taken back (its `ttl`, in epoch seconds). It is marked and not deleted at
 * once, so that its last change still says who made it.
 */
export const forgottenAt = (now: number): number => Math.ceil(now / 1000) + KEPT_SECONDS;
