/** Names one revision; the whole input of its execution, of its tasks and of its build. */
export type RevisionRef = { tenantId: string; deploymentId: string; revisionId: string };

/** The state machine that takes one revision through build and deploy: Step Functions, or its twin in this process. */
export type Workflow = {
  /** Starts the execution `name` ({revision id}-{attempt}); a name runs once, so a repeated start is harmless. */
  start(name: string, input: RevisionRef): Promise<'started' | 'already_exists'>;
  status(name: string): Promise<'running' | 'closed' | 'absent'>;
  /** Answers a waiting task. `gone`: nobody waits for this token any more. */
  succeed(token: string, output: object): Promise<'answered' | 'gone'>;
  fail(token: string, error: { name: string; cause: string }): Promise<'answered' | 'gone'>;
};
