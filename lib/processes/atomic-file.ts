import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

type Content = string | Uint8Array;
export type AtomicOptions = {
  /**
   * False where the last writes may be lost in a power cut. A rename must never become durable before the
   * bytes it names.
   */
  flush?: boolean;
  /** By default the file is readable by its owner only. */
  mode?: number;
};

const temporaryFor = (path: string): string => `${path}.${randomUUID()}.tmp`;
const writing = ({ flush = true, mode = 0o600 }: AtomicOptions) => ({ flag: 'wx', flush, mode });

/**
 * Writes a file whole or not at all, also across a crash. A crash may leave a file beside it that ends with
 * `.tmp`.
 */
export async function writeFileAtomic(
  path: string,
  content: Content,
  options: AtomicOptions = {},
): Promise<void> {
  const temporary = temporaryFor(path);
  try {
    await writeFile(temporary, content, writing(options));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes a small file whole or not at all, and has written it before the next statement. */
export function writeFileAtomicSync(path: string, content: Content): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content, { ...writing({}), flag: 'w' });
  renameSync(temporary, path);
}

/**
 * Makes a file whole or not at all, and never replaces one: false when the path is taken. Its name survives a
 * power cut too.
 */
export async function createFileAtomic(path: string, content: Content): Promise<boolean> {
  const temporary = temporaryFor(path);
  try {
    await writeFile(temporary, content, writing({}));
    await link(temporary, path);
    await using folder = await open(dirname(path));
    await folder.sync();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
