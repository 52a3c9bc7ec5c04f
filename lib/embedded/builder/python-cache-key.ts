import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProject } from '../../builds/agent-project.ts';
import { venvInputs } from '../../builds/install-inputs.ts';
import { localInToml, localRequirement } from '../../builds/local-parts.ts';
import type { BuildPlan, InstallPart } from '../../builds/plan.ts';
import type { PlanRequest } from '../../builds/plan-project.ts';
import type { Interpreter } from '../../builds/python.ts';
import { type PythonDependencies, readDependencies } from '../../builds/python-dependencies.ts';
import { DURABLE_PACKAGES, PYTHON_SERVER_VERSION } from '../../builds/versions.ts';
import { type Cacheable, cacheKey, fileTextOf, keyOfInputs } from './cache-key.ts';

/** The key of a project's virtual environment. `not` says why it depends on more than the files here. */
export async function venvKey(
  project: AgentProject,
  python: Interpreter,
  { isDurable = false }: { isDurable?: boolean | undefined },
): Promise<Cacheable> {
  const dependencies = await readDependencies(project);
  const not = await reasonNotToKeep(dependencies);
  if (not !== undefined) return { not };
  const { local, packages } = dependencies;
  const locked = packages.length === 0 && local.every((one) => one.locked || one.kind === 'files');
  const { folder, root, config } = project;
  const parts = [
    'python',
    python.version,
    python.executable,
    isDurable ? DURABLE_PACKAGES.join(' ') : PYTHON_SERVER_VERSION,
    folder.slice(root.length),
    config.pip_config_file ?? '',
  ];
  return { key: cacheKey([...parts, ...(await textsOf(dependencies, root))], locked) };
}

/** The key of a Python server's environment: of its lockfiles and the steps that install by them. */
export async function serverVenvKey(
  request: PlanRequest,
  part: InstallPart,
  { python }: NonNullable<BuildPlan['venv']>,
): Promise<Cacheable> {
  const { root, folder } = request;
  const { version, executable } = python;
  const parts = ['python-server', version, executable, folder.slice(root.length), JSON.stringify(part.steps)];
  return keyOfInputs(parts, await venvInputs(request, part));
}

/** Backends that build plain Python without running code of the project. */
const PLAIN_BACKENDS =
  /build-backend\s*=\s*["'](setuptools\.build_meta|hatchling\.build|poetry\.core\.masonry\.api|flit_core\.buildapi|pdm\.backend|uv_build)["']/;

/**
 * Why the installed environment depends on more than the texts that are read here; undefined when it does
 * not.
 */
async function reasonNotToKeep({ local }: PythonDependencies): Promise<string | undefined> {
  for (const { folder, kind } of local) {
    if (kind === 'package') {
      const pyproject = (await fileTextOf(folder, 'pyproject.toml')) ?? '';
      const runsCode =
        (await fileTextOf(folder, 'setup.py')) !== undefined || /ext-modules|\.hooks\b/.test(pyproject);
      const backend = pyproject.includes('build-backend') ? PLAIN_BACKENDS.test(pyproject) : true;
      if (runsCode || !backend) return 'a local package is built by code of its own';
      if (localInToml('pyproject.toml', pyproject) !== undefined)
        return 'a local package names other folders';
    }
    if (localRequirement((await fileTextOf(folder, 'requirements.txt')) ?? '') !== undefined)
      return 'requirements.txt names other files';
  }
  return undefined;
}

const TEXTS = ['pyproject.toml', 'setup.cfg', 'requirements.txt', 'uv.lock', 'uv.toml'];

/**
 * Everything that the installed environment depends on; folders of packages too, because editable installs
 * list them.
 */
async function textsOf({ local, packages }: PythonDependencies, root: string): Promise<string[]> {
  const texts = await Promise.all(
    local.map(async ({ folder }) => {
      const found = await Promise.all(TEXTS.map((name) => fileTextOf(folder, name)));
      return JSON.stringify([folder.slice(root.length), found, await packageFolders(folder)]);
    }),
  );
  const atRoot = await Promise.all(['uv.lock', 'pyproject.toml'].map((name) => fileTextOf(root, name)));
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
