import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../processes/atomic-file.ts';

/** Raised when a later release could not read a backup. */
const VERSION = 1;
const FILE = 'backup.json';

/** A backup cannot be made or restored; the message says why, and what helps. */
export class BackupError extends Error {}

/** In a backup: what the data folder had, below this name, and a file for each database of a durable agent. */
export const DATA = 'data';
export const DATABASES = 'databases';

const mode = z.int().min(0).max(0o777);
const entry = z.union([
  z.strictObject({ path: z.string(), mode, size: z.number(), sha256: z.string() }),
  z.strictObject({ path: z.string(), link: z.string() }),
  z.strictObject({ path: z.string(), mode, folder: z.literal(true) }),
]);
/** A file, a link or a folder of a backup; `path` is below it, with `/`. Folders come before what is in them. */
export type Entry = z.infer<typeof entry>;

const manifest = z.strictObject({
  version: z.literal(VERSION),
  made_at: z.string(),
  /** Of `npm start`, or of a listener that works for another installation. */
  kind: z.enum(['installation', 'listener']),
  entries: z.array(entry),
});
export type Manifest = z.infer<typeof manifest>;

/** Says what is in a backup. It is written last: a backup without it was cut. */
export const writeManifest = (folder: string, content: Omit<Manifest, 'version'>): Promise<void> =>
  writeFileAtomic(join(folder, FILE), JSON.stringify({ version: VERSION, ...content }));

/** What is in a backup. Throws BackupError for a folder that is none, or not whole. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new BackupError(
      `${folder} has no ${FILE}: it is no backup, or one that was cut off while it was made or copied. Nothing was restored.`,
    );
  const content = parsed(text);
  const version = z.looseObject({ version: z.number() }).safeParse(content);
  if (version.success && version.data.version !== VERSION)
    throw new BackupError(
      `The backup in ${folder} is of version ${version.data.version}, and this release reads ${VERSION}. Restore it with the release that made it.`,
    );
  const found = manifest.safeParse(content);
  if (!found.success)
    throw new BackupError(`${join(folder, FILE)} is damaged. Nothing was restored: take another backup.`);
  for (const { path } of found.data.entries) if (!isInside(path)) throw outside(folder, path);
  return found.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A path that somebody has put there must not lead out of the folder. */
const isInside = (path: string): boolean =>
  !path.startsWith('/') && !path.split('/').some((part) => part === '' || part === '.' || part === '..');

const outside = (folder: string, path: string): BackupError =>
  new BackupError(`The backup in ${folder} names ${path}, which is outside of it. Nothing was restored.`);
