import * as z from 'zod';
import { collected } from '../../store/dynamodb/collected.ts';
import { absent, all, any, atMost, equals, guard, put } from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { alsoEarlier } from '../../store/dynamodb/upgrade.ts';
import { write } from '../../store/dynamodb/write.ts';
import { followerSlotKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/**
 * One of the places of those who follow a log or the events of a tenant. It is free once its time is over, so
 * that one whose function was cut off is free again by itself. Times in epoch milliseconds, but for `ttl`.
 */
export const followerSlot = z.object({
  v: z.literal(2),
  entity: z.literal('follower_slot'),
  tenant_id: z.string(),
  slot: z.int(),
  /** Who follows: a key, or a user without one. Empty: not known. */
  who: z.string(),
  /** Who follows what, as a digest. */
  follower: z.string(),
  /** Of the request that holds it; absent: its follower has its answer, and may ask for the next one. */
  lease_id: z.string().optional(),
  until: z.number(),
  ttl: z.number(),
});
export type FollowerSlot = z.infer<typeof followerSlot>;

/** The first version did not say who. */
export const anyFollowerSlot = alsoEarlier(followerSlot, 2, { 1: (item) => ({ ...item, who: '' }) });

/** A tenant's places that are taken or were. */
export const followerSlots = (table: Table, tenantId: string): Promise<FollowerSlot[]> =>
  collected(queryAll(table, anyFollowerSlot, { pk: followerSlotKey(tenantId, 0).pk }));

/** Slots are removed so long after their time. */
const KEPT_SECONDS = 3600;

const itemOf = (slot: Omit<FollowerSlot, 'v' | 'entity' | 'ttl'>): Record<string, unknown> => ({
  ...followerSlotKey(slot.tenant_id, slot.slot),
  v: 2,
  entity: 'follower_slot',
  ...slot,
  ttl: Math.ceil(slot.until / 1000) + KEPT_SECONDS,
});

/** Takes a place. False when another holds it, or waits for its next answer there. */
export async function takeFollowerSlot(
  table: Table,
  slot: Omit<FollowerSlot, 'v' | 'entity' | 'ttl'>,
  now: number,
): Promise<boolean> {
  const ownAgain = all(equals('follower', slot.follower), absent('lease_id'));
  const free = guard('follower: free, over or its own', any(absent('pk'), atMost('until', now), ownAgain));
  return written(table, itemOf(slot), free);
}

/**
 * Leaves a place to its follower for a while, to come back to. Harmless when its time was over and another
 * has it.
 */
export async function leaveFollowerSlot(
  table: Table,
  { lease_id: leaseId, ...slot }: Omit<FollowerSlot, 'v' | 'entity' | 'ttl'>,
): Promise<void> {
  await written(table, itemOf(slot), guard('follower: its own', equals('lease_id', leaseId)));
}

async function written(
  table: Table,
  item: Record<string, unknown>,
  when: ReturnType<typeof guard>,
): Promise<boolean> {
  try {
    await write(table, put('follower_slot', item, when));
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}
