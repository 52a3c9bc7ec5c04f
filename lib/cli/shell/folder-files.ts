import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isWanted, type TarFile, tarOf } from '../../tar.ts';
import { Ended } from './ends.ts';
import type { World } from './world.ts';

/** What the service takes at most. */
const UPLOAD_BYTES_MAX = 209_715_200;
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
  const files: TarFile[] = [];
  const left: string[] = [];
  for (const path of paths) {
    if (!isWanted(path)) {
      if (isNoted(path)) left.push(path);
      continue;
    }
    const file = readable(folder, path);
    if (file === 'left') left.push(path);
    else if (file !== undefined) files.push(file);
  }
  if (files.length === 0) throw new Ended(`${folder} has no files to deploy: none that git does not ignore.`);
  const bytes = new Uint8Array(gzipSync(Buffer.concat(tarOf(files))));
  if (bytes.length > UPLOAD_BYTES_MAX)
    throw new Ended(
      `${folder} is ${Math.ceil(bytes.length / 1_048_576)} MiB packed, more than the ${UPLOAD_BYTES_MAX / 1_048_576} MiB that are taken: let .gitignore name what is no source.`,
    );
  return { bytes, files: files.length, left };
}

/** People wonder where a file of secrets is; nobody misses installed packages. */
const isNoted = (path: string): boolean => (path.split('/').at(-1) ?? '').startsWith('.env');

/** undefined: it was deleted, and git does not know that yet. */
function readable(folder: string, path: string): TarFile | 'left' | undefined {
  const at = join(folder, path);
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isFile()) return { path, bytes: readFileSync(at), isExecutable: (found.mode & EXECUTABLE) !== 0 };
  if (!found.isSymbolicLink()) return 'left';
  return linkedFile(folder, path) ?? 'left';
}

/** What a link within the folder leads to, as a file of its own: uploads have regular files alone. */
function linkedFile(folder: string, path: string): TarFile | undefined {
  try {
    const target = realpathSync(join(folder, path));
    const inside = target.startsWith(realpathSync(folder) + sep);
    const found = lstatSync(target);
    // A link must not bring in what is left out itself.
    if (!inside || !found.isFile() || !isWanted(target.slice(realpathSync(folder).length + 1)))
      return undefined;
    return { path, bytes: readFileSync(target), isExecutable: (found.mode & EXECUTABLE) !== 0 };
  } catch {
    return undefined;
  }
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
