import { readFile, stat } from 'node:fs/promises';
import { textOfFile } from '../contract/file-text.ts';
import { BuildFailure } from './failure.ts';

/** A file that says how a project is built is no larger; lockfiles of large projects have some MiB. */
export const SOURCE_TEXT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * The text of a file, which is called `name` in words. Throws BuildFailure for what is no file, or larger
 * than a file that says how a project is built.
 */
export async function readSourceText(path: string, name: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new BuildFailure(`${name} is not a file`);
  if (found.size > SOURCE_TEXT_BYTES_MAX)
    throw new BuildFailure(
      `${name} has ${found.size} bytes; a file that says how a project is built has at most ${SOURCE_TEXT_BYTES_MAX}. Make it smaller, or remove it`,
    );
  return textOfFile(await readFile(path));
}
