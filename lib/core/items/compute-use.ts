import * as z from 'zod';
import { absent, any, atMost, guard, put } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { computeUseKey } from '../../store/keys/counts.ts';
import type { Table } from '../../store/table.ts';

const counted = z.object({ in_use: z.int(), quota: z.int() });

/**
 * How much of what the balancer of all agents has is in use, by whichever tenant: numbers alone, and nobody's
 * name. There is one such item for an installation.
 */
export const computeUse = z.object({
  v: z.literal(1),
  entity: z.literal('compute_use'),
  /** When it was counted; epoch milliseconds. */
  at: z.number(),
  target_groups: counted,
  rules: counted,
});
export type ComputeUse = z.infer<typeof computeUse>;

/** Undefined: nothing has been counted yet. */
export const findComputeUse = (table: Table): Promise<ComputeUse | undefined> =>
  find(table, computeUseKey(), computeUse);

/** Notes a count, unless a later one is noted already. */
export async function noteComputeUse(table: Table, use: Omit<ComputeUse, 'v' | 'entity'>): Promise<void> {
  const item = { ...computeUseKey(), v: 1, entity: 'compute_use', ...use };
  const isNewest = guard('compute use: no later count', any(absent('pk'), atMost('at', use.at)));
  try {
    await write(table, put('compute_use', item, isNewest));
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
