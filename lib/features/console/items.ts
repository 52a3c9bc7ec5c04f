import * as z from 'zod';

/** A link to the console, under the hash of its code; it is removed when it is used. */
export const consoleLink = z.object({
  v: z.literal(1),
  entity: z.literal('console_link'),
  id: z.string(),
  /** The hash of the key that it was made with. */
  key_hash: z.string(),
  /** The tenant it was asked for in. */
  tenant_id: z.string(),
  /** Epoch milliseconds. */
  expires_at: z.number(),
  ttl: z.number(),
});
export type ConsoleLink = z.infer<typeof consoleLink>;
