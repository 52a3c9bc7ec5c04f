import { onTestFinished } from 'vitest';
import type { Deps } from '../../../lib/core/deps.ts';
import { documentClient } from '../../../lib/embedded/dynoxide/client.ts';
import { dynamoDbEndpoint } from './dynoxide.ts';

/**
 * The same dependencies with a client of their own, whose call number `at` (from 0) to the table waits for
 * `act` before it is sent: what happens at that moment of a request, or, when `act` throws, a request that
 * dies there. `calls` says how many were made.
 */
export function interruptedAt<D extends Pick<Deps, 'table'>>(
  deps: D,
  at: number,
  act: () => Promise<unknown>,
): { deps: D; calls: () => number } {
  const client = documentClient(dynamoDbEndpoint());
  onTestFinished(() => client.destroy());
  let calls = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      calls += 1;
      if (calls === at + 1) await act();
      return next(args);
    },
    { step: 'initialize', name: 'interruption' },
  );
  return { deps: { ...deps, table: { ...deps.table, client } }, calls: () => calls };
}
