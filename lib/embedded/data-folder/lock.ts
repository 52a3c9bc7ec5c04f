import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataFolder, unusable } from '../../processes/data-folder.ts';
import type { Processes } from '../../processes/run-command.ts';
import { killGroup } from '../../processes/stop-group.ts';
import { killCarriers, type ProcessSupervisor } from '../../processes/supervisor.ts';
import { type GroupRecord, ownStartTime, startTimeOf } from '../../processes/table/read.ts';
import { RunRecord, type RunState, readRunRecord } from './run-record.ts';

const SETTING = 'SLIPWAY_DATA_DIR';

/** Another instance runs on the data; the message names it. */
export class AlreadyRunning extends Error {}

export type DataLock = {
  /** Starts and stops through the supervisor, and keeps on disk what is running. */
  processes(supervisor: ProcessSupervisor): Processes;
  release(): void;
};

/**
 * Takes the data folder for this process, then ends everything that an earlier run left alive, its database
 * first. Throws AlreadyRunning when another instance has it. The lock itself is the kernel's: it ends with
 * the process, however that ends.
 */
export async function lockDataFolder(dataFolder: string, supervisorId: string): Promise<DataLock> {
  makeDataFolder(dataFolder, SETTING);
  const file = join(dataFolder, 'run.json');
  const held = takeLock(dataFolder);
  const earlier = readRunRecord(file);
  if (held === undefined) throw new AlreadyRunning(describe(dataFolder, earlier));
  try {
    if (earlier !== undefined) await endEarlier(earlier);
    return new FileLock(file, supervisorId, held);
  } catch (error) {
    held.close();
    throw error;
  }
}

function takeLock(dataFolder: string): DatabaseSync | undefined {
  try {
    return holdLock(join(dataFolder, 'run.lock'));
  } catch {
    throw unusable(dataFolder, 'run.lock in it cannot be opened for writing', SETTING);
  }
}

/** Whether an instance runs on the data folder. */
export function isLocked(dataFolder: string): boolean {
  const file = join(dataFolder, 'run.lock');
  if (!existsSync(file)) return false;
  const held = holdLock(file);
  held?.close();
  return held === undefined;
}

/**
 * An SQLite file in an exclusive transaction: atomic to take, released by the kernel, the same on every
 * platform.
 */
function holdLock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes('locked')) return undefined;
    throw error;
  }
}

function describe(dataFolder: string, other: RunState | undefined): string {
  const isAlive = other !== undefined && startTimeOf(other.pid) === other.start_time;
  const who = isAlive ? ` (pid ${other.pid})` : '';
  return `Slipway is already running on ${dataFolder}${who}. Stop it first, or choose another folder with SLIPWAY_DATA_DIR.`;
}

async function endEarlier({ supervisor_id: supervisorId, groups }: RunState): Promise<void> {
  const recordOf = ({ pid, startTime, marker }: RunState['groups'][number]): GroupRecord => ({
    pid,
    startTime,
    marker,
  });
  for (const database of groups.filter(({ what }) => what === 'dynoxide'))
    await killGroup(recordOf(database));
  await Promise.all(groups.map((left) => killGroup(recordOf(left))));
  // What had been started but not yet written down.
  await killCarriers(supervisorId);
}

class FileLock implements DataLock {
  readonly #held: DatabaseSync;
  readonly #record: RunRecord;

  constructor(file: string, supervisorId: string, held: DatabaseSync) {
    this.#held = held;
    this.#record = new RunRecord(file, {
      pid: process.pid,
      start_time: ownStartTime(),
      supervisor_id: supervisorId,
    });
  }

  processes(supervisor: ProcessSupervisor): Processes {
    return {
      start: (command) => {
        const started = supervisor.start(command);
        const { pid, startTime, marker } = started;
        if (pid !== undefined) this.#record.add({ what: basename(command.command), pid, startTime, marker });
        return started;
      },
      stop: async (stopped, graceMilliseconds) => {
        await supervisor.stop(stopped, graceMilliseconds);
        this.#record.remove(stopped.marker);
      },
      stopKnown: async (stopped, graceMilliseconds) => {
        await supervisor.stopKnown(stopped, graceMilliseconds);
        this.#record.remove(stopped.marker);
      },
    };
  }

  release(): void {
    this.#record.close();
    this.#held.close();
  }
}
