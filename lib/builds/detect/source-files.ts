import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { textOfFile } from '../../contract/file-text.ts';
import { isInside } from '../project.ts';

/**
 * The files of a project by their paths from its folder, each with its text; of files that say nothing about
 * how the project is built and started the text is empty.
 */
export type SourceFiles = ReadonlyMap<string, string>;

/** `src/<package>/<part>/main.py` is the deepest place where a server is looked for. */
const DEPTH_MAX = 4;
const FILES_MAX = 20_000;
/** A file that says how a project is built and started is no larger; generated code may be. */
export const TEXT_BYTES_MAX = 512 * 1024;
/** All of them together; those that come after it have no text. */
const TEXTS_BYTES_MAX = 32 * 1024 * 1024;

const SKIPPED = /^(?:\..*|node_modules|__pycache__|venv|env|site-packages)$/;

/** What detectors read. */
const READ = [
  /^(?:package\.json|Procfile|pyproject\.toml|Pipfile|Pipfile\.lock|runtime\.txt|\.python-version|setup\.py|go\.mod|Cargo\.toml|deno\.jsonc?)$/,
  /^requirements[^/]*\.txt$/,
  /^requirements\/[^/]*\.txt$/,
  /^[^/]*\.(?:go|py)$/,
  /^cmd\/[^/]+\/[^/]+\.go$/,
  /\/(?:main|app|server|api|asgi|wsgi|run|index|agent|__init__)\.py$/,
  /(?:^|\/)(?:index|server|main|app)\.[cm]?[jt]s$/,
];

/** Whether detectors read the text of a file, by its path from the project's folder. */
const isRead = (path: string): boolean => READ.some((one) => one.test(path));

/**
 * The files of a project among all paths of a source, those that lie higher first, and which of them
 * detectors read. `folder`: the project's, from the root of the source; `.` is the root. Paths are relative
 * to it.
 */
export function pickSourceFiles(
  paths: readonly string[],
  folder: string,
): { listed: readonly string[]; read: readonly string[] } {
  const begin = folder === '.' ? '' : `${folder}/`;
  const depthOf = (path: string): number => path.split('/').length;
  const listed = paths
    .filter((path) => path.startsWith(begin))
    .map((path) => path.slice(begin.length))
    .filter((path) => {
      const folders = path.split('/').slice(0, -1);
      return folders.length < DEPTH_MAX && !folders.some((name) => SKIPPED.test(name));
    })
    .sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1))
    .slice(0, FILES_MAX);
  return { listed, read: listed.filter(isRead) };
}

/** Reads the files of a project's folder. What a link leads to outside of the source is not read. */
export async function readSourceFiles(root: string, folder: string): Promise<SourceFiles> {
  const found = new Map<string, string>();
  await readFolder({ root: await realpath(root), folder, found, bytesLeft: TEXTS_BYTES_MAX }, '', DEPTH_MAX);
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

type Reading = { root: string; folder: string; found: Map<string, string>; bytesLeft: number };

async function readFolder(reading: Reading, below: string, depth: number): Promise<void> {
  const entries = await readdir(join(reading.folder, below), { withFileTypes: true });
  // What lies higher says more, so it comes first of what may be read.
  for (const entry of entries.sort((one, other) => +one.isDirectory() - +other.isDirectory())) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (reading.found.size >= FILES_MAX) return;
    if (entry.isDirectory()) {
      if (depth > 1 && !SKIPPED.test(entry.name)) await readFolder(reading, path, depth - 1);
    } else {
      const text = await textOf(reading, path);
      if (text !== undefined) reading.found.set(path, text);
    }
  }
}

/** Undefined for what is no file of the source. */
async function textOf(reading: Reading, path: string): Promise<string | undefined> {
  const { root, folder } = reading;
  const real = await realpath(join(folder, path)).catch(() => undefined);
  if (real === undefined || !isInside(root, real)) return undefined;
  const found = await stat(real);
  if (!found.isFile()) return undefined;
  if (!isRead(path) || found.size > Math.min(TEXT_BYTES_MAX, reading.bytesLeft)) return '';
  reading.bytesLeft -= found.size;
  return textOfFile(await readFile(real));
}
