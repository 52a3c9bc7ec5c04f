/**
 * The build failed for a reason of its own; the message is one sentence (without a full stop) that a person
 * can act on.
 */
export class BuildFailure extends Error {
  /** Whether the last lines of output belong to the reason. */
  readonly withOutput: boolean;

  constructor(summary: string, withOutput = false) {
    super(summary);
    this.name = 'BuildFailure';
    this.withOutput = withOutput;
  }
}
