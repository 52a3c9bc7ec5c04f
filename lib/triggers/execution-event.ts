import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { RevisionRef } from '../contract/refs.ts';

/**
 * The part of a Step Functions status change that says which revision the execution was of: its input, as
 * text.
 */
const executionEvent = z.object({ detail: z.object({ input: z.string() }) });
const executionInput = z.object({ tenantId: z.string(), deploymentId: z.string(), revisionId: z.string() });

/** Makes the function that is called when an execution failed, timed out or was aborted. */
export function executionEnded<D>(
  look: (deps: D, ref: RevisionRef) => Promise<void>,
): (deps: () => D) => (event: unknown) => Promise<void> {
  return (deps) => {
    const kept = once(deps);
    return async (event) => {
      const { detail } = executionEvent.parse(event);
      await look(kept(), executionInput.parse(JSON.parse(detail.input)));
    };
  };
}
