import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder for data cannot be made or written; the message names it, and what to do. */
export class DataFolderUnusable extends Error {}

const reasons: Record<string, string> = {
  EEXIST: 'it, or what it is in, is a file',
  ENOTDIR: 'it, or what it is in, is a file',
  ENOENT: 'it does not exist and cannot be made there',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
};

/** `setting`: what names another folder. */
export const unusable = (folder: string, reason: string, setting: string): DataFolderUnusable =>
  new DataFolderUnusable(
    `The data folder ${folder} cannot be used: ${reason}. Choose another folder with ${setting}.`,
  );

/** One after the other: in a file system that makes none, such as /proc, Node's `recursive` never ends. */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else has just made it.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** A file of this name is in a data folder while a backup is restored into it. */
export const RESTORING = 'restoring';

/** Makes the folder, for its owner alone, unless it is there. Throws DataFolderUnusable. */
export function makeDataFolder(folder: string, setting: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw unusable(folder, reasons[code] ?? `making it failed (${code})`, setting);
  }
  if (existsSync(join(folder, RESTORING)))
    throw unusable(
      folder,
      'the restore into it was cut off (delete what is in it, and restore again)',
      setting,
    );
}
