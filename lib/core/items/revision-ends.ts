import * as z from 'zod';
import type { DeploymentRef } from '../../contract/refs.ts';
import { isTerminal, type Terminal, terminals } from '../../domain/transitions.ts';
import { put, update } from '../../store/dynamodb/expressions.ts';
import { queryAll } from '../../store/dynamodb/reads.ts';
import type { Write } from '../../store/dynamodb/transact.ts';
import { revisionEndsKey } from '../../store/keys/index.ts';
import type { Table } from '../../store/table.ts';
import type { Revision } from './items.ts';

const numbers = z.set(z.int()).optional();

/**
 * How a hundred revisions of a deployment ended, by number: lists that are filtered by status pass over them
 * without reading each. Written in the transaction that ends a revision. What is not in it may still be in
 * progress, or ended before there were such items. Tenant and deployment are in its key alone.
 */
export const revisionEnds = z.object({
  v: z.literal(1),
  entity: z.literal('revision_ends'),
  DEPLOYED: numbers,
  CREATE_FAILED: numbers,
  BUILD_FAILED: numbers,
  DEPLOY_FAILED: numbers,
  SKIPPED: numbers,
  INTERRUPTED: numbers,
} satisfies Record<Terminal | 'v' | 'entity', z.ZodType>);

/**
 * A write costs its whole item, and an item of so many stays below the kilobyte that is the least a write
 * costs.
 */
const REVISIONS_AN_ITEM = 100;
/** Some four kilobytes, which is what a read unit reads. */
const ITEMS_A_READ = 8;

type Numbered = Pick<Revision, 'tenant_id' | 'deployment_id' | 'number'>;

const fixed = { v: 1, entity: 'revision_ends' };
const itemOf = (number: number): number => Math.floor(number / REVISIONS_AN_ITEM);
const ownerOf = (item: Numbered): DeploymentRef => ({
  tenantId: item.tenant_id,
  deploymentId: item.deployment_id,
});

/**
 * The writes that note that these revisions of one deployment end so: one an item, as a transaction writes
 * each once.
 */
export function noteEnds(ended: Numbered[], status: Terminal): Write[] {
  const byItem = Map.groupBy(ended, ({ number }) => itemOf(number));
  return [...byItem].flatMap(([at, [first, ...more]]) =>
    first === undefined
      ? []
      : [
          update('revision_ends', revisionEndsKey(ownerOf(first), at), {
            set: fixed,
            add: { [status]: new Set([first, ...more].map(({ number }) => number)) },
          }),
        ],
  );
}

/** How many of these numbers, from the first on, are noted by so many writes beside one for each of them. */
export function countWithin(ascending: number[], writesMax: number): number {
  const items = new Set<number>();
  const beyond = ascending.findIndex(
    (number, index) => index + 1 + items.add(itemOf(number)).size > writesMax,
  );
  return beyond === -1 ? ascending.length : beyond;
}

/** Notes that a revision has ended with its making; nothing for one that goes on. */
export const noteMade = (made: Revision): Write[] =>
  isTerminal(made.status) ? noteEnds([made], made.status) : [];

/** Notes the first revision of a deployment that is being made: nothing can be there to be changed. */
export const noteMadeFirst = (made: Revision): Write[] =>
  isTerminal(made.status)
    ? [
        put('revision_ends', {
          ...revisionEndsKey(ownerOf(made), itemOf(made.number)),
          ...fixed,
          [made.status]: new Set([made.number]),
        }),
      ]
    : [];

/** Tells how revisions ended, by number, asked for from the newest on; undefined where that is not noted. */
export function endsReader(
  table: Table,
  ref: DeploymentRef,
): (number: number) => Promise<Terminal | undefined> {
  const known = new Map<number, Terminal>();
  let oldestRead = Number.POSITIVE_INFINITY;
  const read = async (newest: number): Promise<void> => {
    const oldest = Math.max(0, newest - ITEMS_A_READ + 1);
    const [from, to] = [revisionEndsKey(ref, oldest), revisionEndsKey(ref, newest)];
    for await (const { v: _, entity: __, ...ends } of queryAll(table, revisionEnds, {
      pk: from.pk,
      between: [from.sk, to.sk],
    })) {
      for (const status of terminals) for (const number of ends[status] ?? []) known.set(number, status);
    }
    oldestRead = oldest * REVISIONS_AN_ITEM;
  };
  return async (number) => {
    if (number < oldestRead) await read(itemOf(number));
    return known.get(number);
  };
}
