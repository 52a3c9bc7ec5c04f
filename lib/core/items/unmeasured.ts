import * as z from 'zod';
import { type Unmeasured, unmeasured } from '../../contract/deployments/counts.ts';
import type { ListenerRef } from '../../contract/refs.ts';
import { update } from '../../store/dynamodb/expressions.ts';
import { find } from '../../store/dynamodb/reads.ts';
import { write } from '../../store/dynamodb/write.ts';
import { unmeasuredKey } from '../../store/keys/metrics.ts';
import type { Table } from '../../store/table.ts';

/** What a listener has said that it cannot measure. */
export const listenerUnmeasured = z.object({
  v: z.literal(1),
  entity: z.literal('listener_unmeasured'),
  missing: z.array(unmeasured),
});

/** Undefined: it never said anything of that. */
export async function findUnmeasured(table: Table, ref: ListenerRef): Promise<Unmeasured[] | undefined> {
  return (await find(table, unmeasuredKey(ref), listenerUnmeasured, { eventually: true }))?.missing;
}

/** Keeps what a listener says, where that is news. */
export async function keepUnmeasured(
  table: Table,
  ref: ListenerRef,
  missing: Unmeasured[] | undefined,
): Promise<void> {
  if (missing === undefined) return;
  const known = await findUnmeasured(table, ref);
  if (JSON.stringify(known) === JSON.stringify(missing)) return;
  const set = { v: 1, entity: 'listener_unmeasured', missing };
  await write(table, update('listener_unmeasured', unmeasuredKey(ref), { set }));
}
