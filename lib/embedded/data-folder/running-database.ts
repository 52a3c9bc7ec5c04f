import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../processes/atomic-file.ts';
import type { Table } from '../../store/table.ts';
import { documentClient } from '../dynoxide/client.ts';
import { isLocked } from './lock.ts';

const note = z.object({ endpoint: z.string(), table: z.string() });

const fileIn = (dataFolder: string): string => join(dataFolder, 'database.json');

/**
 * Leaves word of where the running database answers, for tools on the same machine. It holds no secret, and
 * the database takes none.
 */
export const noteDatabase = (dataFolder: string, at: z.infer<typeof note>): Promise<void> =>
  writeFileAtomic(fileIn(dataFolder), `${JSON.stringify(at)}\n`);

/**
 * The table of the instance that runs on the data folder; undefined when none does. Whoever asks destroys the
 * client.
 */
export async function runningTable(dataFolder: string): Promise<Table | undefined> {
  // What a killed instance has noted may be another program's port by now: only a running one's word counts.
  if (!isLocked(dataFolder)) return undefined;
  const noted = await readFile(fileIn(dataFolder), 'utf8').catch(() => undefined);
  if (noted === undefined) return undefined;
  const { endpoint, table } = note.parse(JSON.parse(noted));
  return { client: documentClient(endpoint), name: table };
}
