import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** File contents by path; `{ link }` makes a symbolic link. */
export type Files = Record<string, string | { link: string }>;

/** Writes the files into a folder, making the folders between. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    if (typeof content === 'string') await writeFile(target, content);
    else await symlink(content.link, target);
  }
}
