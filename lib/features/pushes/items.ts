import * as z from 'zod';

/** What became of a delivery for one deployment: the revision that it made, or why none. */
const outcome = z.object({
  deployment_id: z.string(),
  revision_id: z.string().optional(),
  reason: z.string().optional(),
  /** Not the last word: the head of the branch is to be looked at, or once more. */
  waits: z.boolean().optional(),
});
export type DeliveryOutcome = z.infer<typeof outcome>;

/** A delivery of a git host, with a signature that held. */
export const pushDelivery = z.object({
  v: z.literal(2),
  entity: z.literal('delivery'),
  tenant_id: z.string(),
  integration_id: z.string(),
  /** UUIDv7, of the record; its time is when the delivery came. */
  id: z.string(),
  /** As the host names it. */
  delivery_id: z.string(),
  event: z.string(),
  repository: z.string().optional(),
  ref: z.string().optional(),
  at: z.string(),
  /** Of each deployment that it is about the last one counts. */
  outcomes: z.array(outcome),
  /** Why it was about none. */
  reason: z.string().optional(),
  /** For so many deployments the head is still to be looked at. */
  open: z.int(),
  ttl: z.number(),
});
export type PushDelivery = z.infer<typeof pushDelivery>;

const saidOfCommit = z.object({
  commit: z.string(),
  message: z.string(),
  author: z.string(),
  at: z.string(),
});

/** That a deployment waits for a look at the head that a delivery told of; goes with the look. */
export const awaitedPush = z.object({
  v: z.literal(1),
  entity: z.literal('awaited_push'),
  tenant_id: z.string(),
  deployment_id: z.string(),
  /** The token that the head is asked with. */
  integration_id: z.string().optional(),
  delivery: z.object({ integration_id: z.string(), id: z.string() }),
  /** What the newest commits that it tells of say of themselves. */
  said: z.array(saidOfCommit),
  /** Why the last look did not do. */
  reason: z.string().optional(),
  ttl: z.number(),
});
export type AwaitedPush = z.infer<typeof awaitedPush>;

/** That a delivery has come; names its record. */
export const deliveryMark = z.object({
  v: z.literal(1),
  entity: z.literal('delivery_mark'),
  tenant_id: z.string(),
  id: z.string(),
  ttl: z.number(),
});
