import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isWanted, type TarFile, tarOf } from '../../tar.ts';
import { Ended } from './ends.ts';
import type { World } from './world.ts';

/** What the service takes at most, packed and unpacked. */
const UPLOAD_BYTES_MAX = 209_715_200;
const UNPACKED_BYTES_MAX = 1_073_741_824;
const MEBIBYTE = 1_048_576;
const LISTED_BYTES_MAX = 64 * 1024 * 1024;
const EXECUTABLE = 0o111;

export type Packed = {
  bytes: Uint8Array<ArrayBuffer>;
  files: number;
  /** What was there and stays: links that lead out, submodules, files of secrets. */
  left: string[];
};

/**
 * A folder's source as a gzipped tar file: what git knows of it, and what is new there and not ignored.
 * Ignored files never leave the machine, whether the folder is a repository or not. Throws `Ended` when there
 * is nothing, or too much.
 */
export function pack(folder: string, environment: World['environment']): Packed {
  const paths = listedByGit(folder, environment) ?? walked(folder, '');
  const wanted = new Set(paths.filter(isWanted));
  const found = [...wanted].map((path) => ({ path, file: readable(folder, path, wanted) }));
  const left = [
    ...paths.filter((path) => !isWanted(path) && isNoted(path)),
    ...found.flatMap(({ path, file }) => (file === 'left' ? [path] : [])),
  ];
  const sources = found.flatMap(({ path, file }) =>
    file === undefined || file === 'left' ? [] : [{ path, ...file }],
  );
  checkSize(folder, sources);
  const files = sources.map(
    ({ path, at, isExecutable }): TarFile => ({ path, bytes: readFileSync(at), isExecutable }),
  );
  if (files.length === 0) throw new Ended(`${folder} has no files to deploy: none that git does not ignore.`);
  const bytes = new Uint8Array(gzipSync(Buffer.concat(tarOf(files))));
  if (bytes.length > UPLOAD_BYTES_MAX)
    throw new Ended(
      `${folder} is ${Math.ceil(bytes.length / MEBIBYTE)} MiB packed, more than the ${UPLOAD_BYTES_MAX / MEBIBYTE} MiB that are taken: let .gitignore name what is no source.`,
    );
  return { bytes, files: files.length, left };
}

/** People wonder where a file of secrets is; nobody misses installed packages. */
const isNoted = (path: string): boolean => (path.split('/').at(-1) ?? '').startsWith('.env');

/** A file to read: `at` is where its bytes are. */
type Source = { at: string; size: number; isExecutable: boolean };

/** undefined: it was deleted, and git does not know that yet. */
function readable(folder: string, path: string, wanted: ReadonlySet<string>): Source | 'left' | undefined {
  const at = join(folder, path);
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isFile()) return { at, size: found.size, isExecutable: (found.mode & EXECUTABLE) !== 0 };
  return (found.isSymbolicLink() ? linkedFile(folder, path, wanted) : undefined) ?? 'left';
}

/** What a link within the folder leads to, as a file of its own: uploads have regular files alone. */
function linkedFile(folder: string, path: string, wanted: ReadonlySet<string>): Source | undefined {
  try {
    const at = realpathSync(join(folder, path));
    const { size, mode } = lstatSync(at);
    // A link must not bring in what is left out itself.
    if (!wanted.has(relative(realpathSync(folder), at).replaceAll(sep, '/'))) return undefined;
    return { at, size, isExecutable: (mode & EXECUTABLE) !== 0 };
  } catch {
    return undefined;
  }
}

/** Before anything is read: a forgotten file of weights may be larger than memory. */
function checkSize(folder: string, sources: readonly (Source & { path: string })[]): void {
  if (sources.reduce((total, { size }) => total + size, 0) <= UNPACKED_BYTES_MAX) return;
  const [largest] = sources.toSorted((one, other) => other.size - one.size);
  throw new Ended(
    `${folder} is more than the ${UNPACKED_BYTES_MAX / MEBIBYTE} MiB that are taken: ${largest?.path} has ${Math.ceil((largest?.size ?? 0) / MEBIBYTE)} MiB. Let .gitignore name what is no source.`,
  );
}

/** A repository's own settings can name programs that git runs. */
const SAFE = ['-c', 'core.fsmonitor=false'];
const LIST = ['ls-files', '-coz', '--exclude-standard'];

/** undefined: there is no git. Throws `Ended` with what git says against it. */
function listedByGit(folder: string, environment: World['environment']): string[] | undefined {
  const git = (args: string[], more: Record<string, string> = {}) =>
    runGit(folder, args, { ...environment, ...more });
  const inside = git([...SAFE, 'rev-parse', '--is-inside-work-tree']);
  if (inside === undefined) return undefined;
  if (inside.status === 0) return listOf(folder, git([...SAFE, ...LIST]));
  if (!inside.stderr.includes('not a git repository'))
    throw new Ended(`git cannot list ${folder}: ${inside.stderr.trim()}`);
  // What `.gitignore` names holds without a repository too: git reads it for an empty one elsewhere.
  const empty = mkdtempSync(join(tmpdir(), 'slipway-list-'));
  try {
    git(['init', '--quiet', '--bare', empty]);
    const elsewhere = { GIT_DIR: empty, GIT_WORK_TREE: folder };
    return listOf(folder, git(['-c', 'core.bare=false', ...SAFE, ...LIST], elsewhere));
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

type Answer = { status: number | null; stdout: string; stderr: string };

function listOf(folder: string, answer: Answer | undefined): string[] {
  if (answer?.status === 0) return [...new Set(answer.stdout.split('\0').filter((path) => path !== ''))];
  throw new Ended(`git cannot list ${folder}: ${answer?.stderr.trim() ?? 'it does not start'}`);
}

function runGit(cwd: string, args: string[], environment: World['environment']): Answer | undefined {
  const { error, status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: LISTED_BYTES_MAX,
    // What it says is read above.
    env: { ...environment, LC_ALL: 'C' },
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return undefined;
  return { status, stdout: stdout ?? '', stderr: stderr ?? String(error ?? '') };
}

function walked(folder: string, above: string): string[] {
  return readdirSync(join(folder, above), { withFileTypes: true }).flatMap((entry) => {
    const path = `${above}${entry.name}`;
    if (entry.isDirectory()) return isWanted(path) ? walked(folder, `${path}/`) : [];
    return [path];
  });
}
