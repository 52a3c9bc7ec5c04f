import type { ExecutionStatus } from '../contract/execution-status.ts';
import type { RevisionRef } from '../contract/refs.ts';

/** The input of an execution. What it writes is refused once a later attempt has begun. */
export type ExecutionInput = RevisionRef & { attempt: number };

/**
 * The state machine that takes one revision through build and deploy: Step Functions, or its twin in this
 * process.
 */
export type Workflow = {
  /**
   * Starts the execution `name` ({revision id}-{attempt}); a name runs once, so a repeated start is harmless.
   */
  start(name: string, input: ExecutionInput): Promise<'started' | 'already_exists'>;
  status(name: string): Promise<ExecutionStatus>;
  /** Answers a waiting task. `gone`: nobody waits for this token any more. */
  succeed(token: string, output: object): Promise<'answered' | 'gone'>;
  fail(token: string, error: { name: string; cause: string }): Promise<'answered' | 'gone'>;
};
