import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BuildFailure } from './failure.ts';
import { isFile } from './project.ts';
import { readSourceText } from './source-text.ts';

/**
 * What git has in the place of a file that Git LFS keeps: a few lines of text, which say what the file is
 * (the specification of Git LFS, "The Pointer").
 */
const POINTER_BEGINS = 'version https://git-lfs.github.com/spec/v1\n';
const POINTER_NAMES = /^oid sha256:[0-9a-f]{64}$/m;
const POINTER_BYTES_MAX = 1024;

/** How git gives a file to Git LFS, in a line of a .gitattributes. */
const GIVEN_TO_LFS = /\sfilter=lfs(?=\s|$)/m;

/** The options of git by which `git lfs pull` writes files, also where nobody has run `git lfs install`. */
const FILTERS = [
  'filter.lfs.clean=git-lfs clean -- %f',
  'filter.lfs.smudge=git-lfs smudge -- %f',
  'filter.lfs.process=git-lfs filter-process',
].flatMap((setting) => ['-c', setting]);
const LFS_PULL: readonly string[] = [...FILTERS, 'lfs', 'pull'];

/** Where pointers are: in the repository itself, or in all submodules of it. */
type LfsPlace = 'repository' | 'submodules';

/** What git is run with to put files in the place of pointers. */
export const lfsPull = (place: LfsPlace): string[] =>
  place === 'repository'
    ? [...LFS_PULL]
    : ['submodule', '--quiet', 'foreach', '--quiet', '--recursive', 'git', ...LFS_PULL];

/** Git LFS where a source is fetched. */
type GitLfs = {
  isInstalled(): Promise<boolean>;
  /** Runs git with `lfsPull`. Resolves with why it failed, and with undefined when it did not. */
  pull(place: LfsPlace): Promise<string | undefined>;
  say(text: string, level?: 'WARNING'): void;
};

/**
 * Puts files in the place of their pointers. Throws BuildFailure when they cannot be had: what a server does
 * with a pointer would be found out much later.
 */
export async function fetchLfsFiles(root: string, lfs: GitLfs): Promise<void> {
  const pointers = await lfsPointers(root);
  if (pointers.length === 0) return;
  const named = namesOf(pointers);
  if (!(await lfs.isInstalled()))
    throw new BuildFailure(
      `Git LFS keeps ${named}, and git-lfs, which fetches them, is not installed where this is built. Install it, or commit the files themselves`,
    );
  lfs.say(`Fetching what Git LFS keeps: ${named}`);
  const inSubmodules = await submodulesOf(root, pointers);
  if (pointers.length > inSubmodules.paths.length) {
    const failed = await lfs.pull('repository');
    if (failed !== undefined) throw new BuildFailure(`Git LFS cannot fetch ${named}: ${failed}`);
  }
  if (inSubmodules.paths.length > 0) {
    const failed = await lfs.pull('submodules');
    const where = `${namesOf(inSubmodules.paths)} of submodule ${inSubmodules.names.join(', ')}`;
    if (failed !== undefined) throw new BuildFailure(`Git LFS cannot fetch ${where}: ${failed}`);
  }
  const left = await lfsPointers(root);
  if (left.length > 0)
    lfs.say(`Git LFS has not fetched ${namesOf(left)}: .lfsconfig may leave them out`, 'WARNING');
}

/** For sources that come without git. Throws BuildFailure when there are pointers among their files. */
export async function refuseLfsPointers(root: string): Promise<void> {
  const pointers = await lfsPointers(root);
  if (pointers.length > 0)
    throw new BuildFailure(
      `The uploaded source has pointers of Git LFS in the place of ${namesOf(pointers)}. Run 'git lfs pull' where it is packed, and upload it again`,
    );
}

const namesOf = (paths: readonly string[]): string =>
  paths.length === 1 ? `${paths[0]}` : `${paths.length} files (${paths[0]} is one)`;

/** Those of these files that lie in submodules, and their submodules: there `.git` is a file. */
async function submodulesOf(
  root: string,
  paths: readonly string[],
): Promise<{ paths: string[]; names: string[] }> {
  const known = new Map<string, boolean>();
  const isSubmodule = async (folder: string): Promise<boolean> => {
    const found = known.get(folder) ?? (await isFile(join(root, folder, '.git')));
    known.set(folder, found);
    return found;
  };
  const found = { paths: new Set<string>(), names: new Set<string>() };
  for (const path of paths)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (await isSubmodule(folder)) {
        found.paths.add(path);
        found.names.add(folder);
        break;
      }
  return { paths: [...found.paths], names: [...found.names] };
}

/** The files of a source that are pointers, by their paths. */
async function lfsPointers(root: string): Promise<string[]> {
  const files = await filesBelow(root);
  if (!(await givesToLfs(root, files))) return [];
  const pointers: string[] = [];
  for (const path of files) if (await isPointer(join(root, path))) pointers.push(path);
  return pointers;
}

/** One after the other: there may be as many as there are folders. */
async function givesToLfs(root: string, files: readonly string[]): Promise<boolean> {
  for (const path of files)
    if (
      /(?:^|\/)\.gitattributes$/.test(path) &&
      GIVEN_TO_LFS.test(await readSourceText(join(root, path), path))
    )
      return true;
  return false;
}

async function filesBelow(root: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(below, name));
  for (const { name } of entries.filter((entry) => entry.isDirectory() && entry.name !== '.git'))
    for (const file of await filesBelow(root, join(below, name))) files.push(file);
  return files;
}

async function isPointer(file: string): Promise<boolean> {
  const { size } = await stat(file);
  if (size > POINTER_BYTES_MAX) return false;
  const text = await readFile(file, 'utf8');
  return text.startsWith(POINTER_BEGINS) && POINTER_NAMES.test(text);
}
