/** How a command ends, as scripts read it. */
export const exits = { done: 0, refused: 1, usage: 2, failed: 3, interrupted: 4, timedOut: 5 } as const;
export type Exit = (typeof exits)[keyof typeof exits];

/** The arguments are wrong; the message says which one and what it may be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that ends otherwise than well, for a reason that a person can act on. */
export class Ended extends Error {
  override readonly name = 'Ended';
  readonly exit: Exit;
  /** What `--json` prints of it beside the reason. */
  readonly more: object;

  constructor(message: string, exit: Exit = exits.refused, more: object = {}) {
    super(message);
    this.exit = exit;
    this.more = more;
  }
}
