/** A key, by its hash, was used in this hour (its beginning, in epoch milliseconds). */
export type KeyUse = { keyHash: string; hour: number };

/** Hears of each request that came with a good key. Costs the request nothing and never fails it. */
export type KeyUses = { note(keyHash: string, now: number): void };

const HOUR_MILLISECONDS = 3_600_000;

/** The beginning of the hour, in epoch milliseconds. */
export const hourOf = (now: number): number => now - (now % HOUR_MILLISECONDS);

/** Passes on the first use of a key in an hour, as far as this process knows. */
export function onceAnHour(passOn: (use: KeyUse) => void): KeyUses {
  let hour = 0;
  let passed = new Set<string>();
  return {
    note(keyHash, now) {
      const current = hourOf(now);
      if (current !== hour) {
        hour = current;
        passed = new Set();
      }
      if (passed.has(keyHash)) return;
      passed.add(keyHash);
      passOn({ keyHash, hour });
    },
  };
}
