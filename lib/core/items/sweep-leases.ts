import { absent, any, atMost, equals, guard, put, remove } from '../../store/dynamodb/expressions.ts';
import { ConditionsFailed } from '../../store/dynamodb/transact.ts';
import { write } from '../../store/dynamodb/write.ts';
import { sweepLeaseKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';

/** Who sweeps a partition of the `due` index; times in epoch milliseconds. */
export type SweepLease = { holder: string; now: number; until: number };

/** Takes a partition for a sweep. False while another holder's lease lasts. */
export async function takeShard(
  table: Table,
  partition: string,
  { holder, now, until }: SweepLease,
): Promise<boolean> {
  const item = { ...sweepLeaseKey(partition), v: 1, entity: 'sweep_lease', holder, until };
  try {
    await write(
      table,
      put(
        'sweep_lease',
        item,
        guard(
          'sweep: free, over or its own',
          any(absent('pk'), atMost('until', now), equals('holder', holder)),
        ),
      ),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionsFailed) return false;
    throw error;
  }
}

/** Gives a partition back; harmless when another has taken it meanwhile. */
export async function releaseShard(table: Table, partition: string, holder: string): Promise<void> {
  try {
    await write(
      table,
      remove('sweep_lease', sweepLeaseKey(partition), guard('sweep: its own', equals('holder', holder))),
    );
  } catch (error) {
    if (!(error instanceof ConditionsFailed)) throw error;
  }
}
