import * as z from 'zod';

/**
 * Which callers were refused within an hour, and under which id that is an audit event; expires. It bounds
 * how many events there can be.
 */
export const refusals = z.object({
  v: z.literal(1),
  entity: z.literal('refusals'),
  version: z.int(),
  /** Event ids by caller. */
  callers: z.record(z.string(), z.string()),
  ttl: z.number(),
});
export type Refusals = z.infer<typeof refusals>;
