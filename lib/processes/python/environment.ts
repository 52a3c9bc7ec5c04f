import { lstat, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../atomic-file.ts';
import { findPython, findPythons, type Python } from './interpreters.ts';

/**
 * A Python virtual environment that can be moved with the folder it lies in. Such an environment names its
 * place and its interpreter in scripts and settings: sealing it notes where that was and takes the
 * interpreter out; opening it elsewhere, on the same machine or another, puts in the interpreter that is
 * there and mends the paths.
 */
export const PYTHON_ENVIRONMENT = '.venv';

/** No interpreter here fits; the message says which versions there are. */
export class PythonMissing extends Error {}

type Seal = { python: string; root: string };

const SEAL = 'slipway.json';
/** Scripts are small; what is larger is a program that knows no path of ours. */
const SCRIPT_BYTES_MAX = 256 * 1024;

/**
 * Makes an environment ready to move: `root` is the moving folder that it lies in. `python` is the
 * interpreter that it was made with, unless the environment says another: a command may have made it anew.
 */
export async function sealPythonEnvironment(
  environment: string,
  root: string,
  python?: Pick<Python, 'version'>,
): Promise<void> {
  const version = (await madeWith(environment)) ?? python?.version;
  if (version === undefined) throw new Error(`${environment} does not say which Python it is for`);
  for (const name of await readdir(join(environment, 'bin'))) {
    const path = join(environment, 'bin', name);
    if (/^python[\d.]*$/.test(name) && (await lstat(path)).isSymbolicLink()) await rm(path);
  }
  const seal: Seal = { python: version, root };
  await writeSeal(environment, seal);
}

/** The minor version that an environment was made with, as venv and uv write it down. */
async function madeWith(environment: string): Promise<string | undefined> {
  const settings = await readFile(join(environment, 'pyvenv.cfg'), 'utf8').catch(() => '');
  return /^version(?:_info)? *= *(\d+\.\d+)/m.exec(settings)?.[1];
}

/**
 * Puts a sealed environment to use where it lies now, with an interpreter found on `path`. May be repeated.
 * Throws PythonMissing when no interpreter of its version is there.
 */
export async function openPythonEnvironment(
  environment: string,
  root: string,
  path: string,
): Promise<Python> {
  const seal = await readSeal(environment);
  if (seal === undefined) throw new Error(`${environment} is no environment that Slipway made`);
  const python = await findPython(seal.python, path);
  if (python === undefined) throw new PythonMissing(missingPython(seal.python, await findPythons(path)));
  if (seal.root !== root) {
    for (const file of await filesWithPaths(environment)) await replaceInFile(file, seal.root, root);
  }
  await replaceInFile(
    join(environment, 'pyvenv.cfg'),
    /^home = .*$/m,
    `home = ${dirname(python.executable)}`,
  );
  await linkInterpreter(join(environment, 'bin'), python);
  // Last: what was cut off half way is done again as a whole.
  await writeSeal(environment, { ...seal, root });
  return python;
}

/** `Python 3.9 is not on this machine; found: 3.11, 3.12`. */
export function missingPython(version: string, found: readonly Python[]): string {
  const versions = found
    .map((one) => one.version)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return `Python ${version} is not on this machine; found: ${versions.join(', ') || 'none'}`;
}

/** Whether an environment is there that `openPythonEnvironment` can put to use. */
export const isSealed = async (environment: string): Promise<boolean> =>
  (await readSeal(environment)) !== undefined;

async function readSeal(environment: string): Promise<Seal | undefined> {
  const text = await readFile(join(environment, SEAL), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const seal: unknown = JSON.parse(text);
  if (typeof seal !== 'object' || seal === null || !('python' in seal) || !('root' in seal)) return undefined;
  return typeof seal.python === 'string' && typeof seal.root === 'string'
    ? { python: seal.python, root: seal.root }
    : undefined;
}

const writeSeal = (environment: string, seal: Seal): Promise<void> =>
  writeFileAtomic(join(environment, SEAL), JSON.stringify(seal), { flush: false, mode: 0o644 });

async function linkInterpreter(bin: string, python: Python): Promise<void> {
  const own = `python${python.version}`;
  for (const [name, target] of [
    [own, python.executable],
    ['python3', own],
    ['python', own],
  ] as const) {
    await rm(join(bin, name), { force: true });
    await symlink(target, join(bin, name));
  }
}

/** Where tools write paths: scripts, and what adds folders of editable installs to the search path. */
async function filesWithPaths(environment: string): Promise<string[]> {
  const scripts = await entries(join(environment, 'bin'), () => true);
  const libraries = await entries(join(environment, 'lib'), (name) => name.startsWith('python'));
  const packages = libraries.map((library) => join(library, 'site-packages'));
  const additions = await Promise.all(
    packages.map((folder) =>
      entries(folder, (name) => name.endsWith('.pth') || /^__editable__.*\.py$/.test(name)),
    ),
  );
  return [...scripts, ...additions.flat(), join(environment, 'pyvenv.cfg')];
}

async function entries(folder: string, wanted: (name: string) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(wanted).map((name) => join(folder, name));
}

async function replaceInFile(file: string, old: string | RegExp, by: string): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: Infinity })); // A link to an interpreter that is not here.
  if (size > SCRIPT_BYTES_MAX || (await lstat(file)).isSymbolicLink()) return;
  const text = await readFile(file, 'latin1');
  const mended = text.replaceAll(typeof old === 'string' ? old : new RegExp(old, 'gm'), () => by);
  // A new file in the old one's place: other names of the old one (hard links of a cache) keep what they had.
  if (mended !== text)
    await writeFileAtomic(file, Buffer.from(mended, 'latin1'), {
      flush: false,
      mode: (await stat(file)).mode,
    });
}
