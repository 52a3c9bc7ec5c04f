import * as z from 'zod';
import { absent, any, atMost, equals, put, remove } from '../../store/dynamodb/expressions.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { ownerLeaseKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** Which runtime moves revisions on a table that several machines can reach. */
export const ownerLease = z.object({
  v: z.literal(1),
  entity: z.literal('owner_lease'),
  /** The id of the runtime's data folder, the same after a restart. */
  owner: z.string(),
  /** Epoch milliseconds. */
  until: z.number(),
});
export type OwnerLease = z.infer<typeof ownerLease>;

/**
 * Takes or renews the lease; an owner has it back at once. Returns the lease of another owner when that one
 * lasts.
 */
export async function takeOwnerLease(
  table: Table,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<OwnerLease | undefined> {
  const item: OwnerLease = { v: 1, entity: 'owner_lease', owner, until };
  const free = any(absent('pk'), atMost('until', now), equals('owner', owner));
  try {
    await write(table, put('owner_lease', { ...ownerLeaseKey(), ...item }, free));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
    return ownerLease.parse(error.failed.get('owner_lease'));
  }
}

/** Gives the lease back; harmless when another has it. */
export async function releaseOwnerLease(table: Table, owner: string): Promise<void> {
  try {
    await write(table, remove('owner_lease', ownerLeaseKey(), equals('owner', owner)));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
