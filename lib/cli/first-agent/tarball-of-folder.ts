import { stat } from 'node:fs/promises';
import * as tar from 'tar';
import { Obstacle } from '../explain.ts';

/** Installed packages and a repository's own data are no part of a source. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|\.venv|__pycache__)(?:\/|$)/;

/** The folder's source as a gzipped tar file. Throws `Obstacle` when there is no such folder. */
export async function tarballOfFolder(folder: string): Promise<Uint8Array> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new Obstacle(`There is no folder ${folder}; give the project to deploy with --project.`);
  const filter = (path: string) => !LEFT_OUT.test(path);
  const chunks: Buffer[] = [];
  for await (const chunk of tar.create({ cwd: folder, gzip: true, portable: true, filter }, ['.'])) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
