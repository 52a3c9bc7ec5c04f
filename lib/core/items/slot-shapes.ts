import * as z from 'zod';

/** Held by the one revision that is being processed, or by the deletion. */
export const slot = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('revision'), revision_id: z.string(), number: z.int(), since: z.string() }),
  z.object({ kind: z.literal('delete'), since: z.string() }),
]);
export type Slot = z.infer<typeof slot>;

/** The revision that serves, and what its listener last said of it. */
export const active = z.object({
  revision_id: z.string(),
  number: z.int(),
  /** The versions that it runs; no configuration: an earlier release deployed it, which noted neither. */
  configuration: z.int().optional(),
  secrets: z.int().optional(),
  url: z.string().optional(),
  image_version: z.string().optional(),
  healthy: z.boolean(),
  reason: z.string().optional(),
  /** The epoch of the task that deployed it; reports at a lower one are of an earlier life. */
  epoch: z.int(),
  /** The listener's last report names this revision. */
  reconciled: z.boolean(),
});
