import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../environment.ts';

/** An interpreter: `version` like `3.12`, `executable` the real program behind names and environments. */
export type Python = { version: string; executable: string };

const run = promisify(execFile);

/** A name on PATH may be a switch that hangs or prints help; a Python answers within a fraction of this. */
const PROBE_MILLISECONDS = 10_000;
/** Every minor version that may be met; a name without a version gives whatever else is there. */
const NAMES = ['python3', 'python', ...Array.from({ length: 13 }, (_, index) => `python3.${8 + index}`)];
const QUESTION =
  "import sys; print('%d.%d' % sys.version_info[:2]); print(getattr(sys, '_base_executable', sys.executable))";

/** The interpreters on PATH, one for each version, what `python3` names first. */
export async function findPythons(path: string): Promise<Python[]> {
  const candidates = (await Promise.all(NAMES.map((name) => onPath(name, path)))).flat();
  const found = await Promise.all(candidates.map((candidate) => ask(candidate, path)));
  const byVersion = new Map<string, Python>();
  for (const python of found)
    if (python !== undefined && !byVersion.has(python.version)) byVersion.set(python.version, python);
  return [...byVersion.values()];
}

/** The interpreter of one version, looked for where it most likely is. */
export async function findPython(version: string, path: string): Promise<Python | undefined> {
  for (const name of [`python${version}`, 'python3', 'python']) {
    for (const candidate of await onPath(name, path)) {
      const found = await ask(candidate, path);
      if (found?.version === version) return found;
    }
  }
  return undefined;
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

async function ask(executable: string, path: string): Promise<Python | undefined> {
  const options = { env: childEnvironment({ PATH: path }), timeout: PROBE_MILLISECONDS };
  try {
    const { stdout } = await run(executable, ['-I', '-c', QUESTION], options);
    const [version = '', real = ''] = stdout.trim().split('\n');
    return /^3\.\d+$/.test(version) && real !== '' ? { version, executable: real } : undefined;
  } catch {
    return undefined; // A shim of a version that is not there, or no Python at all.
  }
}
