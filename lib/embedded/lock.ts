import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import type { ProcessGroup } from '../processes/group.ts';
import { killCarriers, type ProcessKeeper } from '../processes/keeper.ts';
import { type GroupRecord, startTimeOf } from '../processes/process-table.ts';
import { killGroup } from '../processes/stop-group.ts';
import type { Processes } from './run-command.ts';

const group = z.object({
  what: z.string(),
  pid: z.number().optional(),
  startTime: z.string().optional(),
  marker: z.string(),
});
const record = z.object({
  pid: z.number(),
  start_time: z.string(),
  keeper_id: z.string(),
  groups: z.array(group),
});
type RunRecord = z.infer<typeof record>;

/** Another instance runs on the data; the message names it. */
export class AlreadyRunning extends Error {}

export type DataLock = {
  /** Starts and stops through the keeper, and keeps on disk what is running. */
  processes(keeper: ProcessKeeper): Processes;
  release(): void;
};

/**
 * Takes the data folder for this process, then ends everything that an earlier run left alive, its database first. Throws
 * AlreadyRunning when another instance has it. The lock itself is the kernel's: it ends with the process, however that ends.
 */
export async function lockDataFolder(dataFolder: string, keeperId: string): Promise<DataLock> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const file = join(dataFolder, 'run.json');
  const held = holdLock(join(dataFolder, 'run.lock'));
  const earlier = readRecord(file);
  if (held === undefined) throw new AlreadyRunning(describe(dataFolder, earlier));
  try {
    if (earlier !== undefined) await endEarlier(earlier);
    return new FileLock(file, keeperId, held);
  } catch (error) {
    held.close();
    throw error;
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

/** An SQLite file in an exclusive transaction: atomic to take, released by the kernel, the same on every platform. */
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

function readRecord(file: string): RunRecord | undefined {
  try {
    return record.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined; // The first run, or one that ended while it wrote: the kernel's lock is what counts.
  }
}

function describe(dataFolder: string, other: RunRecord | undefined): string {
  const isAlive = other !== undefined && startTimeOf(other.pid) === other.start_time;
  const who = isAlive ? ` (pid ${other.pid})` : '';
  return `Slipway is already running on ${dataFolder}${who}. Stop it first, or choose another folder with SLIPWAY_DATA_DIR.`;
}

async function endEarlier({ keeper_id: keeperId, groups }: RunRecord): Promise<void> {
  const recordOf = ({ pid, startTime, marker }: RunRecord['groups'][number]): GroupRecord => ({
    pid,
    startTime,
    marker,
  });
  for (const database of groups.filter(({ what }) => what === 'dynoxide'))
    await killGroup(recordOf(database));
  await Promise.all(groups.map((left) => killGroup(recordOf(left))));
  // What had been started but not yet written down.
  await killCarriers(keeperId);
}

class FileLock implements DataLock {
  readonly #file: string;
  readonly #held: DatabaseSync;
  readonly #startTime = startTimeOf(process.pid) ?? '';
  readonly #keeperId: string;
  readonly #groups = new Map<string, RunRecord['groups'][number]>();

  constructor(file: string, keeperId: string, held: DatabaseSync) {
    this.#file = file;
    this.#keeperId = keeperId;
    this.#held = held;
    this.#write();
  }

  processes(keeper: ProcessKeeper): Processes {
    return {
      start: (command) => {
        const started = keeper.start(command);
        this.#add(basename(command.command), started);
        return started;
      },
      stop: async (stopped, graceMilliseconds) => {
        await keeper.stop(stopped, graceMilliseconds);
        this.#remove(stopped);
      },
      stopKnown: async (stopped, graceMilliseconds) => {
        await keeper.stopKnown(stopped, graceMilliseconds);
        this.#remove(stopped);
      },
    };
  }

  release(): void {
    this.#groups.clear();
    this.#write();
    this.#held.close();
  }

  #add(what: string, { pid, startTime, marker }: ProcessGroup): void {
    if (pid === undefined) return;
    this.#groups.set(marker, { what, pid, marker, ...(startTime !== undefined && { startTime }) });
    this.#write();
  }

  #remove({ marker }: ProcessGroup): void {
    if (this.#groups.delete(marker)) this.#write();
  }

  /** At once, not in the background: we may be killed the moment after something has started. */
  #write(): void {
    const content: RunRecord = {
      pid: process.pid,
      start_time: this.#startTime,
      keeper_id: this.#keeperId,
      groups: [...this.#groups.values()],
    };
    writeFileSync(`${this.#file}.tmp`, JSON.stringify(content), { mode: 0o600 });
    renameSync(`${this.#file}.tmp`, this.#file);
  }
}
