import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON_ENVIRONMENT } from '../processes/python/environment.ts';
import { foldersAbove } from './javascript.ts';
import { isLockedLocally, localInToml, localRequirement } from './local-parts.ts';
import type { BuildPlan, InstallPart } from './plan.ts';
import type { PlanRequest } from './plan-project.ts';
import { pathWithin } from './project.ts';
import { inLockedWorkspace } from './python-dependencies.ts';
import { readSourceText } from './source-text.ts';

/**
 * What an installation depends on: texts of files in the project's folder and nothing else, or why on more.
 * `locked`: versions do not change from one installation to the next.
 */
export type InstallInputs = { texts: ReadonlyMap<string, string>; locked: boolean } | { not: string };

const LOCKFILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
];
const OTHER_SETTINGS = ['.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'bunfig.toml'];

/** Scripts of the project itself that run at an install and may do anything. */
const INSTALL_SCRIPTS =
  'preinstall install postinstall prepublish preprepare prepare postprepare dependencies'.split(' ');

/** Of the packages of a package.json, as the package manager of the lockfile installs them. */
export async function packagesInputs({ root, folder }: Place): Promise<InstallInputs> {
  const found = await entriesOf(folder);
  if (found.has('node_modules')) return { not: 'the source has a node_modules of its own' };
  const above = await Promise.all(foldersAbove(root, folder).map((one) => readdir(one)));
  if (above.flat().includes('package.json'))
    return { not: 'it may belong to a workspace of the folder above' };
  if (OTHER_SETTINGS.some((name) => found.has(name)))
    return { not: 'settings of its package manager may lead elsewhere' };
  const locks = LOCKFILES.filter((name) => found.has(name));
  const texts = await textsOf(folder, found, ['package.json', '.npmrc', ...locks]);
  if ('not' in texts) return texts;
  const json: unknown = JSON.parse(texts.texts.get('package.json') ?? '{}');
  const not = dependsOnMore(new Map(Object.entries(json ?? {})));
  return not === undefined ? { ...texts, locked: locks.length > 0 } : { not };
}

/** What runs when these are installed reads files of the project: the schema of its database. */
const READ_THE_PROJECT = ['prisma', '@prisma/client'];

function dependsOnMore(packageJson: ReadonlyMap<string, unknown>): string | undefined {
  if (packageJson.has('workspaces')) return 'it has workspaces';
  const scripts = Object.keys(objectOr(packageJson.get('scripts')));
  const script = INSTALL_SCRIPTS.find((name) => scripts.includes(name));
  if (script !== undefined) return `its script '${script}' runs at an install`;
  const pnpm = new Map<string, unknown>(Object.entries(objectOr(packageJson.get('pnpm'))));
  if (pnpm.has('patchedDependencies')) return 'patches of its packages lie in the source';
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'resolutions'];
  const values = [...fields.map((field) => packageJson.get(field)), pnpm.get('overrides')];
  const wanted = values.flatMap((value) => Object.entries(objectOr(value)));
  const reader = wanted.find(([name]) => READ_THE_PROJECT.includes(name));
  if (reader !== undefined) return `its dependency '${reader[0]}' reads files of it when it is installed`;
  const local = wanted.find(([, version]) => IN_THE_SOURCE.test(JSON.stringify(version)));
  return local === undefined ? undefined : `its dependency '${local[0]}' lies in the source`;
}

/** In a version, or in versions within one, as JSON: a protocol for files, or a path. */
const IN_THE_SOURCE = /\b(?:file|link|workspace|portal|patch):|"(?:\.{0,2}|~)\//;

const objectOr = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/** Files that may say what a Python server depends on. */
const PYTHON_TEXTS =
  /^(?:(?:uv|poetry|pdm|Pipfile)\.lock|Pipfile|pyproject\.toml|uv\.toml|requirements.*\.txt)$/;

/** Of the environment of a Python server. */
export async function venvInputs({ root, folder }: Place, { steps }: InstallPart): Promise<InstallInputs> {
  const commands = JSON.stringify(steps);
  const found = await entriesOf(folder);
  const names = [...found.keys()].filter((name) => PYTHON_TEXTS.test(name)).sort();
  const texts = await textsOf(folder, found, names);
  if ('not' in texts) return texts;
  const all = [...texts.texts.values()];
  // What is installed of the project's own code depends on that code.
  const isOwn =
    commands.includes(' -e .') || (commands.includes('uv sync') && all.join('').includes('build-system'));
  if (isOwn || commands.includes(' -r requirements/')) return { not: 'the project itself is installed' };
  if (commands.includes('uv sync') && (await inLockedWorkspace(folder, root)))
    return { not: 'it is a part of the workspace of a folder above' };
  for (const [name, text] of texts.texts) {
    const local = localPart(name, text, commands);
    if (local !== undefined) return { not: `${name} names other files` };
  }
  return { ...texts, locked: names.some((name) => name.endsWith('.lock')) };
}

/** What in a file leads to others of the source. Requirements that no step installs lead nowhere. */
function localPart(name: string, text: string, commands: string): string | undefined {
  if (name.endsWith('.lock')) return isLockedLocally(name, text) ? name : undefined;
  if (!name.endsWith('.txt')) return localInToml(name, text);
  return commands.includes(` -r ${name}"`) ? localRequirement(text) : undefined;
}

type Place = Pick<PlanRequest, 'root' | 'folder'>;

async function entriesOf(folder: string): Promise<ReadonlyMap<string, Dirent>> {
  const entries = await readdir(folder, { withFileTypes: true });
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** The texts of those of these files that are there. */
async function textsOf(
  folder: string,
  found: ReadonlyMap<string, Dirent>,
  names: readonly string[],
): Promise<{ texts: ReadonlyMap<string, string> } | { not: string }> {
  const there = names.flatMap((name) => found.get(name) ?? []);
  const link = there.find((entry) => !entry.isFile());
  if (link !== undefined) return { not: `${link.name} leads elsewhere` };
  const texts = there.map(
    async ({ name }) => [name, await readSourceText(join(folder, name), name)] as const,
  );
  return { texts: new Map(await Promise.all(texts)) };
}

/**
 * The files, by their paths from the root of the source, that all installations of a server's plan depend on;
 * undefined where they depend on more, or nothing is installed.
 */
export async function filesOfInstall(request: PlanRequest, plan: BuildPlan): Promise<string[] | undefined> {
  const { root, folder, installCommand } = request;
  const parts = plan.install.filter(({ steps }) => steps.some((step) => step.do === 'run'));
  if (installCommand || parts.length === 0) return undefined;
  const there = await readdir(folder);
  if (there.includes('node_modules') || there.includes(PYTHON_ENVIRONMENT)) return undefined;
  const files: string[] = [];
  for (const part of parts) {
    const inputs = part.kind === 'venv' ? await venvInputs(request, part) : await packagesInputs(request);
    if ('not' in inputs) return undefined;
    files.push(...[...inputs.texts.keys()].map((name) => join(pathWithin(root, folder), name)));
  }
  return files;
}
