import * as z from 'zod';
import type { KeyUse } from '../app/identity/key-uses.ts';
import { KEY_USED } from '../contract/key-use.ts';
import { lazy } from '../contract/lazy.ts';
import { readLogBatch } from './log-batch.ts';

const line = lazy(() =>
  z.object({
    message: z.literal(KEY_USED),
    key_hash: z.string().regex(/^[0-9a-f]{64}$/),
    hour: z.int().positive(),
  }),
);

/** Makes the function that is called with the lines of functions that say that a key was used; any other line is passed over. */
export function keyUseLog<D>(
  noteUse: (deps: D, use: KeyUse) => Promise<void>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = lazy(deps);
    return async (event) => {
      for (const { message } of readLogBatch(event)?.logEvents ?? []) {
        const use = useIn(message);
        if (use !== undefined) await noteUse(kept(), use);
      }
    };
  };
}

function useIn(text: string): KeyUse | undefined {
  try {
    const { key_hash: keyHash, hour } = line().parse(JSON.parse(text));
    return { keyHash, hour };
  } catch {
    return undefined;
  }
}
