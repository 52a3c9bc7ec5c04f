/** Lets who follows something wait for news of it where that costs nothing. */
export type Changes = {
  /**
   * News of a change of something that can be followed: the feed of a tenant, a log, or how a revision
   * stands. Ask before you read what is followed, so that nothing lies between.
   */
  next(): News;
};

/** `came` resolves once something may have changed since they were asked for. Forget them in the end. */
export type News = { came: Promise<void>; forget(): void };
