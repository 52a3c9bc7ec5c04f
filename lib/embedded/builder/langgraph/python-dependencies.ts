import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { textOf } from '../cache-key.ts';
import { BuildFailure } from '../failure.ts';
import { isInside } from '../project.ts';
import type { AgentProject } from './config.ts';

/** What a local folder among the dependencies holds, and so how it is installed. */
export type LocalDependency = { folder: string; kind: 'package' | 'requirements' | 'files'; locked: boolean };
export type PythonDependencies = { local: LocalDependency[]; packages: string[] };

/** Sorts `dependencies` into local folders and packages. Throws BuildFailure for a folder that is not there. */
export async function readDependencies(project: AgentProject): Promise<PythonDependencies> {
  const all = project.config.dependencies ?? [];
  if (all.length === 0)
    throw new BuildFailure(
      `${project.fileName} names no dependencies; a Python project needs at least ["."]`,
    );
  const local = await Promise.all(all.filter(isLocal).map((path) => readLocal(project, path)));
  return { local, packages: all.filter((one) => !isLocal(one)) };
}

const isLocal = (dependency: string): boolean => dependency.startsWith('.');

async function readLocal(
  { folder: from, root, fileName }: AgentProject,
  path: string,
): Promise<LocalDependency> {
  const folder = resolve(from, path);
  if (!isInside(root, folder, true))
    throw new BuildFailure(`${fileName}: dependency '${path}' leads out of the source`);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new BuildFailure(`${fileName}: dependency '${path}' is no folder of the source`);
  const files = new Set(await readdir(folder));
  if (files.has('pyproject.toml') || files.has('setup.py'))
    return {
      folder,
      kind: 'package',
      locked: files.has('uv.lock') || (await inLockedWorkspace(folder, root)),
    };
  return { folder, kind: files.has('requirements.txt') ? 'requirements' : 'files', locked: false };
}

/** Whether a folder above is a uv workspace with a lockfile; its members have none of their own. */
async function inLockedWorkspace(folder: string, root: string): Promise<boolean> {
  for (let at = folder; at !== root; ) {
    at = dirname(at);
    const isWorkspace = (await textOf(at, 'pyproject.toml'))?.includes('[tool.uv.workspace]') ?? false;
    if (isWorkspace) return (await textOf(at, 'uv.lock')) !== undefined;
  }
  return false;
}

/** Backends that build plain Python without running code of the project. */
const PLAIN_BACKENDS =
  /build-backend\s*=\s*["'](setuptools\.build_meta|hatchling\.build|poetry\.core\.masonry\.api|flit_core\.buildapi|pdm\.backend|uv_build)["']/;

/** Why the installed environment depends on more than the texts that are read here; undefined when it does not. */
export async function reasonNotToKeep({ local }: PythonDependencies): Promise<string | undefined> {
  for (const { folder, kind } of local) {
    if (kind === 'package') {
      const pyproject = (await textOf(folder, 'pyproject.toml')) ?? '';
      const runsCode =
        (await textOf(folder, 'setup.py')) !== undefined || /ext-modules|\.hooks\b/.test(pyproject);
      const backend = pyproject.includes('build-backend') ? PLAIN_BACKENDS.test(pyproject) : true;
      if (runsCode || !backend) return 'a local package is built by code of its own';
      if (/path\s*=\s*["']/.test(pyproject) || /@\s*file:/.test(pyproject))
        return 'a local package names other folders';
    }
    if (
      /^\s*(-r|-c|-e|--requirement|--constraint|--editable|\.{1,2}\/|file:)|@\s*file:/m.test(
        (await textOf(folder, 'requirements.txt')) ?? '',
      )
    )
      return 'requirements.txt names other files';
  }
  return undefined;
}

const TEXTS = ['pyproject.toml', 'setup.cfg', 'requirements.txt', 'uv.lock', 'uv.toml'];

/** Everything that the installed environment depends on; folders of packages too, because editable installs list them. */
export async function textsOf({ local, packages }: PythonDependencies, root: string): Promise<string[]> {
  const texts = await Promise.all(
    local.map(async ({ folder }) => {
      const found = await Promise.all(TEXTS.map((name) => textOf(folder, name)));
      return JSON.stringify([folder.slice(root.length), found, await packageFolders(folder)]);
    }),
  );
  const atRoot = await Promise.all(['uv.lock', 'pyproject.toml'].map((name) => textOf(root, name)));
  return [...texts, ...packages, JSON.stringify(atRoot)];
}

const SKIPPED = /^(\.|node_modules$|__pycache__$)/;

async function packageFolders(folder: string, below = ''): Promise<string[]> {
  const found = await readdir(join(folder, below), { withFileTypes: true });
  const inner = found.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name));
  const deeper = await Promise.all(inner.map((entry) => packageFolders(folder, join(below, entry.name))));
  const own = found.some((entry) => entry.isFile() && entry.name.endsWith('.py')) ? [below] : [];
  return [...own, ...deeper.flat()].sort();
}
