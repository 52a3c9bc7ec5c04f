import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseOwnerLease, takeOwnerLease } from '../../core/items/owner-lease.ts';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { Table } from '../../store/table.ts';
import { startSchedule } from '../schedules.ts';

/** Another runtime moves the revisions of this table; the message names it. */
export class OwnedByAnother extends Error {}

export type Ownership = {
  /** The id of the data folder, the same after a restart. */
  id: string;
  /** Whether the lease lasts: without it nothing may be moved forward, for another may have begun to. */
  holds(): boolean;
  close(): Promise<void>;
};

export type OwnershipOptions = {
  table: Table;
  dataFolder: string;
  now: () => number;
  onError: (message: string) => void;
  renewSeconds?: number;
};

/** Three renewals may fail before the lease is over. */
const RENEW_SECONDS = 10;
const RENEWALS = 3;

/**
 * Takes the table for the runtime of this data folder and keeps it: two runtimes on one table would each end
 * what the other has at work. Throws OwnedByAnother while another one has it. After a restart on the same
 * folder it is had at once.
 */
export async function takeOwnership(options: OwnershipOptions): Promise<Ownership> {
  const { table, now, onError, renewSeconds = RENEW_SECONDS } = options;
  const id = await ownerId(options.dataFolder);
  let until = 0;
  const renew = async (): Promise<string | undefined> => {
    const next = now() + RENEWALS * renewSeconds * 1000;
    const other = await takeOwnerLease(table, { owner: id, now: now(), until: next });
    if (other !== undefined) return described(other.owner, other.until);
    until = next;
    return undefined;
  };
  const inTheWay = await renew();
  if (inTheWay !== undefined) throw new OwnedByAnother(inTheWay);
  const renewing = startSchedule({
    everySeconds: renewSeconds,
    run: async (first) => {
      const lost = first ? undefined : await renew();
      if (lost !== undefined) onError(`nothing is moved forward here: ${lost}`);
    },
    onError: (error) => onError(`the lease on the table could not be renewed: ${String(error)}`),
  });
  return {
    id,
    holds: () => now() < until,
    close: async () => {
      await renewing.close();
      until = 0;
      await releaseOwnerLease(table, id);
    },
  };
}

async function ownerId(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'owner-id');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  const id = randomUUID();
  await writeFileAtomic(file, `${id}\n`);
  return id;
}

const described = (owner: string, until: number): string =>
  `another Slipway, of the data folder with the id ${owner} (its file owner-id), runs on this database until ${new Date(until).toISOString()} at least. Stop that one, or name another database in AWS_ENDPOINT_URL_DYNAMODB.`;
