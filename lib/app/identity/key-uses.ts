/** A key, by its hash, was used in this hour (its beginning, in epoch milliseconds). */
export type KeyUse = { keyHash: string; hour: number };

/** Hears of each request that came with a good key. Costs the request nothing and never fails it. */
export type KeyUses = { note(keyHash: string, now: number): void };

export const HOUR_MILLISECONDS = 3_600_000;

/** Passes on the first use of a key in an hour, as far as this process knows. */
export function onceAnHour(passOn: (use: KeyUse) => void): KeyUses {
  let hour = 0;
  let passed = new Set<string>();
  return {
    note(keyHash, now) {
      const current = now - (now % HOUR_MILLISECONDS);
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
