import * as z from 'zod';

/** What came from a host, and what it made. */
export const pushDeliveryView = z.object({
  id: z.guid(),
  /** As the host names it. */
  delivery_id: z.string(),
  /** As the host names it: `push`, `ping`, … */
  event: z.string(),
  repository: z.string().nullable(),
  ref: z.string().nullable(),
  at: z.string(),
  /** Whether the head of the branch is still to be looked at, or once more. */
  pending: z.boolean(),
  revision_ids: z.array(z.guid()),
  /** One for each deployment that builds this branch: its new revision, or why it has none (yet). */
  outcomes: z.array(
    z.object({
      deployment_id: z.guid(),
      revision_id: z.guid().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  /** Why there is no outcome; null when there is one. */
  reason: z.string().nullable(),
});
export type PushDeliveryView = z.input<typeof pushDeliveryView>;

export const pushDeliveryListView = z.object({ resources: z.array(pushDeliveryView), offset: z.int() });
