/** Who has a credential that was refused, as far as that is certain. */
export type Known = {
  userId: string;
  keyId: string;
  /** Absent: of whichever tenant the request picks. */
  tenantId?: string | undefined;
  organizationId?: string | undefined;
};

/** Kept beside the error, not in it, so that no response contains it. */
const refused = new WeakMap<Error, Known>();

/** Returns the error, and remembers who was refused with it, for the audit of those whose credential it is. */
export function refusedAs<E extends Error>(error: E, known: Known): E {
  refused.set(error, known);
  return error;
}

/** Who was refused with this error; undefined when unknown. */
export const whoWasRefused = (error: Error): Known | undefined => refused.get(error);
