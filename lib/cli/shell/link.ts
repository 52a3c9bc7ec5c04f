import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ended } from './ends.ts';
import { foldersUp } from './local-credentials.ts';
import { objectIn } from './profiles.ts';

/** What `slipway.json` says of a folder: which deployment it belongs to, and where its project is. */
export type Link = {
  /** The folder that has the file. */
  folder: string;
  name: string;
  /** The project's folder, relative to it; undefined: itself. */
  root: string | undefined;
};

const FILE = 'slipway.json';
const fields = new Set(['name', 'root', '$schema']);

/**
 * The nearest `slipway.json` upwards, within the repository; without one that of the folder itself: above it,
 * as in /tmp, anybody may have written one. Throws `Ended` when it is none.
 */
export function findLink(cwd: string): Link | undefined {
  const isRepository = (folder: string) => existsSync(join(folder, '.git'));
  for (const folder of foldersUp(cwd)) {
    const file = join(folder, FILE);
    if (existsSync(file))
      return folder === cwd || [...foldersUp(folder)].some(isRepository) ? linkIn(folder, file) : undefined;
    if (isRepository(folder)) return undefined;
  }
  return undefined;
}

function linkIn(folder: string, file: string): Link {
  const { name, root, ...more } = objectIn(readFileSync(file, 'utf8')) ?? {};
  const unknown = Object.keys(more).filter((field) => !fields.has(field));
  if (unknown.length > 0)
    throw new Ended(
      `${file} may have 'name' and 'root', not ${unknown.map((each) => `'${each}'`).join(', ')}.`,
    );
  if (typeof name !== 'string' || name === '') throw new Ended(`${file} has no 'name' of a deployment.`);
  if (root === undefined || root === '' || root === '.') return { folder, name, root: undefined };
  if (typeof root !== 'string' || root.startsWith('/') || root.split(/[/\\]/).includes('..'))
    throw new Ended(`'root' of ${file} is a folder below it, without '..'.`);
  return { folder, name, root };
}

/** Links a folder to a deployment. */
export function writeLink(folder: string, name: string): string {
  const file = join(folder, FILE);
  writeFileSync(file, `${JSON.stringify({ name }, undefined, 2)}\n`, { flag: 'wx' });
  return file;
}
