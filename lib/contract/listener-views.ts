import * as z from 'zod';
import { computeTypes } from '../compute/kinds.ts';
import { asGiven } from './validation/as-given.ts';

/** Listeners as responses show them. */

const text = z.string().nullable();
const timestamp = z.string();

export const listenerStatuses = ['ONLINE', 'OFFLINE', 'NEVER_SEEN'] as const;
export type ListenerStatus = (typeof listenerStatuses)[number];

const counted = z.object({ in_use: z.int(), quota: z.int() });

/** How much is in use, by all tenants, of what the agents of the installation share. */
export const capacityView = z.object({ target_groups: counted, rules: counted, counted_at: timestamp });

export const listenerView = z.object({
  id: z.guid(),
  compute_type: z.enum(computeTypes),
  compute_id: z.string(),
  compute_config: asGiven(z.looseObject({ k8s_namespaces: z.array(z.string()) })),
  created_at: timestamp,
  updated_at: timestamp,
  version: text,
  platform: text,
  is_default: z.boolean(),
  last_seen_at: text,
  status: z.enum(listenerStatuses),
  /** What an operator should change, in sentences. */
  warnings: z.array(z.string()),
  /** Of agents on Fargate; null for others, and until something was counted. */
  capacity: capacityView.nullable(),
});
export type ListenerView = z.input<typeof listenerView>;

// `offset` is what to ask the next page with.
export const listenerListView = z.object({ resources: z.array(listenerView), offset: z.int() });
