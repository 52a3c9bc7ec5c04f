import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { makeDataFolder } from '../processes/data-folder.ts';
import { killCarriers } from '../processes/supervisor.ts';
import { ownStartTime, startTimeOf } from '../processes/table/read.ts';

const lockSchema = z.object({ pid: z.number(), start_time: z.string(), supervisor_id: z.string() });

function readLock(file: string): z.infer<typeof lockSchema> | undefined {
  try {
    return lockSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'listener.lock');

/** The pid of the listener that runs on a data folder; undefined where none does. */
export function runningListener(dataFolder: string): number | undefined {
  const lock = readLock(fileIn(dataFolder));
  const isAlive = lock !== undefined && startTimeOf(lock.pid) === lock.start_time;
  return isAlive ? lock.pid : undefined;
}

/**
 * Takes the data folder for this process and ends what an earlier listener on it left alive. Throws when
 * another one is running on it.
 */
export async function lockListenerFolder(dataFolder: string, supervisorId: string): Promise<void> {
  makeDataFolder(dataFolder, '--data-dir');
  const file = fileIn(dataFolder);
  const earlier = readLock(file);
  if (earlier !== undefined && earlier.pid !== process.pid) {
    if (runningListener(dataFolder) !== undefined)
      throw new Error(`Another listener (pid ${earlier.pid}) is running on ${dataFolder}.`);
    await killCarriers(earlier.supervisor_id);
  }
  const lock = { pid: process.pid, start_time: ownStartTime(), supervisor_id: supervisorId };
  writeFileSync(file, JSON.stringify(lock), { mode: 0o600 });
}
