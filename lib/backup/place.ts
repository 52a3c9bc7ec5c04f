import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked, lockDataFolder } from '../embedded/data-folder/lock.ts';
import { lockListenerFolder, runningListener } from '../listener/lock.ts';
import { ProcessSupervisor } from '../processes/supervisor.ts';
import { BackupError, type Manifest } from './manifest.ts';

export type Kind = Manifest['kind'];

/** Whose data folder it is. Throws BackupError for any other folder. */
export function kindOf(dataFolder: string): Kind {
  if (existsSync(join(dataFolder, 'format'))) return 'installation';
  if (existsSync(join(dataFolder, 'listener.lock'))) return 'listener';
  throw new BackupError(
    `${dataFolder} is no data folder of npm start, nor of a listener. Name one with --data-dir.`,
  );
}

/** Where the listener has its files, which are all there is of its own. */
export const listenerFolder = (kind: Kind, dataFolder: string): string =>
  kind === 'installation' ? join(dataFolder, 'listener') : dataFolder;

/** Whether a program works on the data folder. */
export const isRunning = (kind: Kind, dataFolder: string): boolean =>
  kind === 'installation' ? isLocked(dataFolder) : runningListener(dataFolder) !== undefined;

/**
 * Works with processes of its own, which end with it. Nobody starts on the data folder meanwhile, unless a
 * program runs there that it is shared with.
 */
export async function withProcesses<T>(
  { kind, dataFolder, isShared }: { kind: Kind; dataFolder: string; isShared: boolean },
  work: (processes: ProcessSupervisor) => Promise<T>,
): Promise<T> {
  const processes = new ProcessSupervisor();
  let release = (): void => undefined;
  try {
    if (!isShared && kind === 'listener') await lockListenerFolder(dataFolder, processes.id);
    if (!isShared && kind === 'installation') {
      const lock = await lockDataFolder(dataFolder, processes.id);
      release = () => lock.release();
    }
    return await work(processes);
  } finally {
    await processes.close();
    release();
  }
}
