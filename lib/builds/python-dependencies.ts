import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { AgentProject } from './agent-project.ts';
import { BuildFailure } from './failure.ts';
import { isInside, readOwn } from './project.ts';

/** What a local folder among the dependencies holds, and so how it is installed. */
export type LocalDependency = {
  folder: string;
  kind: 'package' | 'requirements' | 'files';
  locked: boolean;
  package?: string;
};
export type PythonDependencies = { local: LocalDependency[]; packages: string[] };

/** Sorts `dependencies` into local folders and packages. Throws BuildFailure for what is neither. */
export async function readDependencies(project: AgentProject): Promise<PythonDependencies> {
  const { fileName, config } = project;
  if (config.source?.kind === 'uv')
    return { local: [await readSource(project, config.source)], packages: [] };
  const all = config.dependencies ?? [];
  if (all.length === 0)
    throw new BuildFailure(`${fileName} lists no dependencies; a Python project needs at least ["."]`);
  const option = all.find((one) => one.startsWith('-'));
  if (option !== undefined)
    throw new BuildFailure(`${fileName}: dependency '${option}' is neither a folder nor a package`);
  const local = await Promise.all(all.filter(isLocal).map((path) => readLocal(project, path)));
  return { local, packages: all.filter((one) => !isLocal(one)) };
}

/** A project of uv brings all dependencies: its folder is named instead of them. */
async function readSource(
  project: AgentProject,
  { root = '.', package: name }: NonNullable<AgentProject['config']['source']>,
): Promise<LocalDependency> {
  const found = await readLocal(project, root);
  if (found.kind !== 'package')
    throw new BuildFailure(`${project.fileName}: source.root '${root}' has no pyproject.toml`);
  return name === undefined ? found : { ...found, package: name };
}

const isLocal = (dependency: string): boolean => dependency.startsWith('.');

async function readLocal(
  { folder: from, root, fileName }: AgentProject,
  path: string,
): Promise<LocalDependency> {
  const folder = resolve(from, path);
  const leadsOut = new BuildFailure(`${fileName}: dependency '${path}' leads out of the source`);
  if (!isInside(root, folder, true)) throw leadsOut;
  const real = await realpath(folder).catch(() => folder);
  if (!isInside(root, real, true)) throw leadsOut;
  const names = await readdir(real).catch(() => undefined);
  if (names === undefined)
    throw new BuildFailure(`${fileName}: dependency '${path}' is not a folder of the source`);
  const files = new Set(names);
  if (files.has('pyproject.toml') || files.has('setup.py'))
    return {
      folder,
      kind: 'package',
      locked: files.has('uv.lock') || (await inLockedWorkspace(folder, root)),
    };
  return { folder, kind: files.has('requirements.txt') ? 'requirements' : 'files', locked: false };
}

/**
 * Whether a folder above is a uv workspace with a lockfile; its members have none of their own. A project
 * between the two hides the workspace, as it does for uv.
 */
export async function inLockedWorkspace(folder: string, root: string): Promise<boolean> {
  for (let at = folder; at !== root; ) {
    at = dirname(at);
    const pyproject = await readOwn(root, join(at, 'pyproject.toml'));
    if (pyproject?.includes('[tool.uv.workspace]'))
      return (await readOwn(root, join(at, 'uv.lock'))) !== undefined;
    if (pyproject !== undefined && /^\[project\]/m.test(pyproject)) return false;
  }
  return false;
}
