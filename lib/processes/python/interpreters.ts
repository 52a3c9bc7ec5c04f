import { execFile } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../environment.ts';

/** An interpreter: `version` like `3.12`, `executable` the real program behind names and environments. */
export type Python = { version: string; executable: string };

const run = promisify(execFile);

/**
 * A name on PATH may be a switch that hangs or prints help. A Python answers within a fraction of the first
 * time, but not on a busy machine: it is asked once more, or a build would get another Python than before.
 */
const PATIENCE_MILLISECONDS: readonly number[] = [10_000, 30_000];
/** Every minor version that may be met; a name without a version gives whatever else is there. */
const NAMES = ['python3', 'python', ...Array.from({ length: 13 }, (_, index) => `python3.${8 + index}`)];
const QUESTION =
  "import sys; print('%d.%d' % sys.version_info[:2]); print(getattr(sys, '_base_executable', sys.executable))";

/** The interpreters of this machine, one for each version: what `python3` names first, on PATH before elsewhere. */
export async function findPythons(path: string, patience = PATIENCE_MILLISECONDS): Promise<Python[]> {
  const search = await searchPath(path);
  const candidates = (await Promise.all(NAMES.map((name) => onPath(name, search)))).flat();
  const found = await Promise.all(candidates.map((candidate) => ask(candidate, path, patience)));
  const byVersion = new Map<string, Python>();
  for (const python of found)
    if (python !== undefined && !byVersion.has(python.version)) byVersion.set(python.version, python);
  return [...byVersion.values()];
}

/** The interpreter of one version, looked for where it most likely is. */
export async function findPython(
  version: string,
  path: string,
  patience = PATIENCE_MILLISECONDS,
): Promise<Python | undefined> {
  const search = await searchPath(path);
  for (const name of [`python${version}`, 'python3', 'python']) {
    for (const candidate of await onPath(name, search)) {
      const found = await ask(candidate, path, patience);
      if (found?.version === version) return found;
    }
  }
  return undefined;
}

/**
 * PATH, and where people have interpreters that are not on it: those of pyenv, whose names on PATH are
 * switched off, those that uv has installed, and /opt.
 */
async function searchPath(path: string): Promise<string> {
  const {
    HOME: home = '/root',
    PYENV_ROOT: pyenv,
    XDG_DATA_HOME: data,
    UV_PYTHON_INSTALL_DIR: uv,
  } = process.env;
  const parents = [
    join(pyenv ?? join(home, '.pyenv'), 'versions'),
    uv ?? join(data ?? join(home, '.local', 'share'), 'uv', 'python'),
    '/opt',
    '/opt/python',
  ];
  const folders = await Promise.all(
    parents.map(async (parent) =>
      (await readdir(parent).catch((): string[] => [])).sort().map((name) => join(parent, name, 'bin')),
    ),
  );
  return [path, ...folders.flat(), '/usr/local/bin', '/opt/homebrew/bin'].join(delimiter);
}

/** All of that name: the first may be a shim for a version that is not switched on. */
async function onPath(name: string, path: string): Promise<string[]> {
  const files = path.split(delimiter).map((folder) => join(folder, name));
  const usable = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => [file],
        () => [],
      ),
    ),
  );
  return usable.flat();
}

async function ask(
  executable: string,
  path: string,
  [timeout, ...more]: readonly number[],
): Promise<Python | undefined> {
  const options = { env: childEnvironment({ PATH: path }), timeout };
  try {
    const { stdout } = await run(executable, ['-I', '-c', QUESTION], options);
    const [version = '', real = ''] = stdout.trim().split('\n');
    return /^3\.\d+$/.test(version) && real !== '' ? { version, executable: real } : undefined;
  } catch (error) {
    const isLate = error instanceof Error && 'killed' in error && error.killed === true;
    if (isLate && more.length > 0) return ask(executable, path, more);
    return undefined; // A shim of a version that is not there, or no Python at all.
  }
}
