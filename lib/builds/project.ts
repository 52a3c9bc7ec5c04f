import { access, constants, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { jsonErrorPlace } from '../contract/validation/json-position.ts';
import { DEFAULT_CONFIG_PATH } from '../domain/source.ts';
import { BuildFailure } from './failure.ts';
import { readSourceText } from './source-text.ts';

/** What was found in the folder that is built. */
export type ProjectFacts = {
  /** Names of its files. */
  files: ReadonlySet<string>;
  /** The parsed package.json, if there is one. */
  packageJson: PackageJson | undefined;
  /** The programs of `TOOLS` that can be run where the project is built. */
  tools: ReadonlySet<string>;
};

export type PackageJson = {
  scripts: Record<string, string>;
  /** The file that the package is imported by. */
  main: string | undefined;
  hasDependencies: boolean;
  /** Names of all packages that it depends on. */
  dependencies: ReadonlySet<string>;
  /** `packageManager`, such as `pnpm@10.1.0`. */
  packageManager: string | undefined;
  /** `node` of `engines`, such as `>=20`. */
  nodeRange: string | undefined;
};

/** The programs that builds may need. */
export const TOOLS = ['npm', 'npx', 'pnpm', 'yarn', 'bun', 'deno', 'go', 'cargo'];

/**
 * The folder to build in: the one of the config file, whose path is relative to `rootDirectory`; both must
 * lie inside `root`, also when links are followed. The file must be there too, unless its path is the
 * default: a project without one says by a start script or a Procfile what it is.
 */
export async function findBuildFolder(
  root: string,
  configPath: string,
  rootDirectory?: string,
): Promise<string> {
  const realRoot = await realpath(root);
  const config = resolve(await findRootDirectory(realRoot, rootDirectory), configPath);
  const leadsOut = new BuildFailure(`Config path '${configPath}' leads out of the source`);
  if (!isInside(realRoot, config)) throw leadsOut;
  const folder = await realpath(dirname(config)).catch(() => undefined);
  if (folder !== undefined && !isInside(realRoot, folder, true)) throw leadsOut;
  const real = await realpath(config).catch(() => undefined);
  if (real !== undefined && !isInside(realRoot, real)) throw leadsOut;
  const isThere = real !== undefined && (await isFile(real));
  if (
    folder === undefined ||
    !(await stat(folder)).isDirectory() ||
    (configPath !== DEFAULT_CONFIG_PATH && !isThere)
  ) {
    const what = real === undefined ? 'does not exist in the source' : 'is not a file';
    throw new BuildFailure(`Config file '${configPath}' ${what}`);
  }
  requireConfigKind(configPath);
  return folder;
}

/** Throws BuildFailure for a config file that is none that anything reads. */
export function requireConfigKind(configPath: string): void {
  if (configPath.endsWith('.json')) return;
  throw new BuildFailure(
    `Config file '${configPath}' is of another kind: graph_config_path names a langgraph.json, or a package.json in the folder of a server. Name one of them, or leave graph_config_path out and set root_directory to the project's folder`,
  );
}

async function findRootDirectory(root: string, rootDirectory: string | undefined): Promise<string> {
  if (rootDirectory === undefined) return root;
  const folder = await realpath(resolve(root, rootDirectory)).catch(() => undefined);
  const is = `root_directory '${rootDirectory}'`;
  if (!isInside(root, folder ?? resolve(root, rootDirectory), true))
    throw new BuildFailure(`${is} leads out of the source`);
  if (folder === undefined) throw new BuildFailure(`${is} does not exist in the source`);
  if (!(await stat(folder)).isDirectory()) throw new BuildFailure(`${is} is not a folder of the source`);
  return folder;
}

/** Whether `path` lies below `folder` (or is it, when `orSame`); both absolute. */
export function isInside(folder: string, path: string, orSame = false): boolean {
  const way = relative(folder, path);
  return way === '' ? orSame : way !== '..' && !way.startsWith(`..${sep}`);
}

/** The way from the root of the source to a path in it; `.` for the root itself. */
export const pathWithin = (root: string, path: string): string => relative(root, path) || '.';

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * The text of a file of the source; undefined when there is none. A link that leads out of the source is
 * none: what it leads to belongs to the machine that builds. Throws BuildFailure for a link that leads
 * nowhere, and for a file that is too large.
 */
export async function readOwn(root: string, path: string): Promise<string | undefined> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path).catch(() => undefined)]);
  if (real !== undefined)
    return isInside(realRoot, real) ? readSourceText(real, pathWithin(root, path)) : undefined;
  const isThere = await lstat(path).catch(() => undefined);
  if (isThere !== undefined) throw new BuildFailure(`${pathWithin(root, path)} is a link that leads nowhere`);
  return undefined;
}

/**
 * Reads what the choice of commands depends on. Throws BuildFailure when package.json is not a JSON object.
 */
export async function readProject(
  root: string,
  folder: string,
  tools: ReadonlySet<string>,
): Promise<ProjectFacts> {
  return { files: new Set(await readdir(folder)), packageJson: await readPackageJson(root, folder), tools };
}

/**
 * The package.json of a folder, undefined when there is none. Throws BuildFailure when it is not a JSON
 * object.
 */
export async function readPackageJson(root: string, folder: string): Promise<PackageJson | undefined> {
  const text = await readOwn(root, join(folder, 'package.json'));
  return text === undefined ? undefined : parsePackageJson(text);
}

/** Reads the text of a package.json. Throws BuildFailure when it is not a JSON object. */
export function parsePackageJson(text: string): PackageJson {
  const parsed = new Map<string, unknown>(Object.entries(parseObject(text)));
  const scripts = Object.entries(objectOr(parsed.get('scripts'))).flatMap(([name, line]) =>
    typeof line === 'string' ? [[name, line] as const] : [],
  );
  const namesIn = (part: string) => Object.keys(objectOr(parsed.get(part)));
  const dependencies = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap(namesIn);
  const textOr = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const engines = new Map<string, unknown>(Object.entries(objectOr(parsed.get('engines'))));
  return {
    scripts: Object.fromEntries(scripts),
    main: textOr(parsed.get('main')),
    hasDependencies: dependencies.length + namesIn('workspaces').length > 0,
    dependencies: new Set(dependencies),
    packageManager: textOr(parsed.get('packageManager')),
    nodeRange: textOr(engines.get('node')),
  };
}

function parseObject(text: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new BuildFailure(`package.json is not valid JSON at ${jsonErrorPlace(text)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new BuildFailure('package.json is not a JSON object');
  return parsed;
}

function objectOr(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** The programs of builds that are on a PATH. */
export async function toolsOn(path: string): Promise<ReadonlySet<string>> {
  const found = await Promise.all(TOOLS.map(async (tool) => ((await isOnPath(tool, path)) ? [tool] : [])));
  return new Set(found.flat());
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
