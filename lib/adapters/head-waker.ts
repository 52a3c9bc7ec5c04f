/** The head of a repository, by its key in the table. */
export type HeadPlace = { pk: string; sk: string };

/** Calls the function that looks at heads for one of them, without waiting for it. */
export type HeadWaker = {
  /** Throws when it cannot be called. */
  wake(head: HeadPlace): Promise<void>;
};
