import * as z from 'zod';

/** What a commit says of itself: the first line of its message and its author's name, both cut. */
export const commitDescription = z.object({ message: z.string(), author: z.string(), at: z.string() });

/**
 * What made a revision; absent: a request, as in all earlier versions. `reason`: of a redeploy what a person
 * gave, of a push why its paths could not be evaluated.
 */
export const cause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('redeploy'), revision_id: z.string(), reason: z.string().optional() }),
  /** `delivery_id`: of the record of the delivery. */
  z.object({ kind: z.literal('push'), delivery_id: z.string(), reason: z.string().optional() }),
  z.object({ kind: z.literal('head'), reason: z.string().optional() }),
]);
