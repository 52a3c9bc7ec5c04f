/** Why the tables refuse something that was asked. */
export type Refusal =
  | 'thread-not-found'
  | 'thread-exists'
  | 'thread-busy'
  | 'run-not-found'
  | 'run-ended'
  | 'run-live'
  | 'assistant-not-found'
  | 'call-failed'
  | 'call-timeout';

/** For whoever asked; its message says what is wrong, and with which id. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
