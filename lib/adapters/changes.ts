/** Lets who follows something wait for news of it where that costs nothing. */
export type Changes = {
  /**
   * Resolves once something that can be followed may have changed since this was called: the feed of a
   * tenant, a log, or how a revision stands. Ask before you read what is followed, so that nothing lies
   * between.
   */
  next(): Promise<void>;
};
