import { access, constants, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { DEFAULT_CONFIG_PATH } from '../../domain/source.ts';
import type { PackageJson, ProjectFacts } from './commands.ts';
import { BuildFailure } from './failure.ts';

const TOOLS = ['npm', 'npx', 'pnpm', 'yarn'];

/**
 * The folder to build in: the one of the config file, which must lie inside `root`, also when links are followed. The file must be
 * there too, unless its path is the default: a project without one says by a start script or a Procfile what it is.
 */
export async function findBuildFolder(root: string, configPath: string): Promise<string> {
  const realRoot = await realpath(root);
  const config = resolve(realRoot, configPath);
  const leadsOut = new BuildFailure(`Config path '${configPath}' leads out of the source`);
  if (!isInside(realRoot, config)) throw leadsOut;
  const folder = await realpath(dirname(config)).catch(() => undefined);
  if (folder !== undefined && !isInside(realRoot, folder, true)) throw leadsOut;
  const real = await realpath(config).catch(() => undefined);
  if (real !== undefined && !isInside(realRoot, real)) throw leadsOut;
  const isFile = real !== undefined && (await stat(real)).isFile();
  if (
    folder === undefined ||
    !(await stat(folder)).isDirectory() ||
    (configPath !== DEFAULT_CONFIG_PATH && !isFile)
  ) {
    const what = real === undefined ? 'does not exist in the source' : 'is not a file';
    throw new BuildFailure(`Config file '${configPath}' ${what}`);
  }
  return folder;
}

/** Whether `path` lies below `folder` (or is it, when `orSame`); both absolute. */
export function isInside(folder: string, path: string, orSame = false): boolean {
  const way = relative(folder, path);
  return way === '' ? orSame : way !== '..' && !way.startsWith(`..${sep}`);
}

/** Reads what the choice of commands depends on. Throws BuildFailure when package.json is not a JSON object. */
export async function readProject(folder: string, path: string): Promise<ProjectFacts> {
  const files = new Set(await readdir(folder));
  const packageJson = files.has('package.json')
    ? await readPackageJson(join(folder, 'package.json'))
    : undefined;
  const found = await Promise.all(TOOLS.map(async (tool) => ((await isOnPath(tool, path)) ? [tool] : [])));
  return { files, packageJson, tools: new Set(found.flat()) };
}

async function readPackageJson(path: string): Promise<PackageJson> {
  const parsed = parseObject(await readFile(path, 'utf8'));
  const scripts = Object.entries(objectOr(parsed.scripts)).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
  const dependencies = [
    parsed.dependencies,
    parsed.devDependencies,
    parsed.optionalDependencies,
    parsed.workspaces,
  ];
  return {
    scripts: Object.fromEntries(scripts),
    hasDependencies: dependencies.some((part) => Object.keys(objectOr(part)).length > 0),
    packageManager: typeof parsed.packageManager === 'string' ? parsed.packageManager : undefined,
  };
}

function parseObject(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    // npm accepts a byte order mark too.
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new BuildFailure(
      `package.json is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (typeof parsed !== 'object' || parsed === null)
    throw new BuildFailure('package.json is not a JSON object');
  return { ...parsed };
}

function objectOr(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Whether a tool can be run by its name. */
export async function isOnPath(tool: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const found = await access(join(folder, tool), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
