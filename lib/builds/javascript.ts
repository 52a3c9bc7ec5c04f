import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AGENT_SERVER_FOLDER } from '../contract/deployments/langgraph-json.ts';
import { type BuildStep, type InstallPart, quote } from './plan.ts';
import { programsOf } from './programs.ts';
import { type PackageJson, type ProjectFacts, pathWithin } from './project.ts';
import { JAVASCRIPT_SERVER, PNPM_VERSION, YARN_CLASSIC_VERSION, YARN_VERSION } from './versions.ts';

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];
/**
 * These are looked for above the project's folder too: there they are of the workspace that it belongs to.
 */
const WORKSPACE_LOCKFILES = ['pnpm-lock.yaml', 'yarn.lock'];

const npmCi: BuildStep = {
  do: 'run',
  command: 'npm ci',
  fallback: {
    // Lockfile and package.json disagree. Any other failure of npm ci would fail npm install as well, or must
    // be seen.
    onOutput: String.raw`\bnpm (error|ERR!) code EUSAGE\b`,
    command: 'npm install',
    reason:
      'package-lock.json does not fit package.json (npm reported EUSAGE), so `npm install` is used instead of `npm ci`',
  },
};

type JavaScriptProject = { root: string; folder: string; facts: ProjectFacts; isAgent: boolean };

/** What package.json asks for and, for an agent, the server that runs its graphs. */
export async function installJavaScript(
  project: JavaScriptProject,
  installCommand: string | undefined,
): Promise<InstallPart[]> {
  const { root, folder, isAgent } = project;
  const found = await withWorkspaceLockfile(project);
  const own: InstallPart = {
    kind: 'packages',
    makes: pathWithin(root, join(folder, 'node_modules')),
    steps: [installStep(found, installCommand)],
  };
  return isAgent ? [own, agentServer(project)] : [own];
}

/** How dependencies are installed: as the client says, else by the lockfile, else by the tool that is named. */
export function installStep(facts: ProjectFacts, installCommand: string | undefined): BuildStep {
  if (installCommand) return { do: 'run', command: installCommand };
  const { files, packageJson } = facts;
  if (packageJson === undefined) return { do: 'skip', reason: 'there is no package.json' };
  if (files.has('package-lock.json') || files.has('npm-shrinkwrap.json')) return needs(facts, 'npm', npmCi);
  if (files.has('pnpm-lock.yaml')) return installByPnpm(facts, packageJson);
  if (files.has('yarn.lock')) return installByYarn(facts, packageJson);
  const isBun = files.has('bun.lock') || files.has('bun.lockb');
  if (isBun && facts.tools.has('bun')) return { do: 'run', command: 'bun install --frozen-lockfile' };
  if (packageJson.hasDependencies) return installUnlocked(facts, packageJson);
  return { do: 'skip', reason: 'package.json lists no dependencies' };
}

/** Without a lockfile the tool that `packageManager` names chooses the versions. */
function installUnlocked(facts: ProjectFacts, packageJson: PackageJson): BuildStep {
  const [tool] = packageJson.packageManager?.split('@') ?? [];
  if (tool === 'pnpm') return installByPnpm(facts, packageJson);
  if (tool === 'yarn') return installByYarn(facts, packageJson);
  if (tool === 'bun' && facts.tools.has('bun')) return { do: 'run', command: 'bun install' };
  return needs(facts, 'npm', { do: 'run', command: 'npm install' });
}

/**
 * Whether the project has a `build` script that is not run: an agent server runs the sources, so only a
 * client can ask for it.
 */
export function leavesBuildScript(
  { packageJson }: Pick<ProjectFacts, 'packageJson'>,
  buildCommand: string | undefined,
  isAgent: boolean,
): boolean {
  return isAgent && !buildCommand && packageJson?.scripts.build !== undefined;
}

/**
 * How the project is built: as the client says, else its `build` script unless it is an agent, else not at
 * all.
 */
export function buildStep(
  facts: Pick<ProjectFacts, 'tools'>,
  buildCommand: string | undefined,
  isAgent: boolean,
): BuildStep {
  if (buildCommand) return { do: 'run', command: buildCommand };
  const leave: BuildStep = {
    do: 'skip',
    reason:
      'the `build` script of package.json was not run, since an agent server runs the sources; to run it, set build_command to "npm run build"',
  };
  return {
    do: 'script',
    name: 'build',
    present: isAgent ? leave : needs(facts, 'npm', { do: 'run', command: 'npm run build' }),
    absent: { do: 'skip', reason: 'there is no build script' },
  };
}

function needs({ tools }: Pick<ProjectFacts, 'tools'>, tool: string, step: BuildStep): BuildStep {
  if (tools.has(tool)) return step;
  return { do: 'fail', reason: `${tool} is not installed on this machine` };
}

function installByPnpm({ tools, files }: ProjectFacts, { packageManager }: PackageJson): BuildStep {
  const version = namedVersion('pnpm', packageManager);
  const npx = `npx --yes ${pnpmPackage(packageManager)}`;
  const lockfile = files.has('pnpm-lock.yaml') ? 'pnpm-lock.yaml' : undefined;
  const option = lockfile === undefined ? '--no-frozen-lockfile' : '--frozen-lockfile';
  return installByOther({ tools, tool: 'pnpm', lockfile, version, npx, words: ['install', option] });
}

/**
 * Yarn 1 and later ones share a lockfile's name, but neither package nor the option that keeps the lockfile
 * as it is. Later ones install no node_modules unless they are told to (Plug'n'Play): what they make instead
 * leads to a cache outside of the source, and only programs that they start find it.
 */
function installByYarn({ tools, files }: ProjectFacts, { packageManager }: PackageJson): BuildStep {
  const version = namedVersion('yarn', packageManager);
  const classic = isYarnClassic(files, version);
  const name = yarnPackage(files, packageManager);
  const npx = classic ? `npx --yes ${name}` : `npx --yes --package=${name} yarn`;
  const lockfile = files.has('yarn.lock') ? 'yarn.lock' : undefined;
  const newest = lockfile === undefined ? '--no-immutable' : '--immutable';
  const oldest = lockfile === undefined ? [] : ['--frozen-lockfile'];
  const words = ['install', ...(classic ? oldest : [newest])];
  const before = classic ? '' : 'YARN_NODE_LINKER=node-modules ';
  return installByOther({ tools, tool: 'yarn', lockfile, version, npx, words, before });
}

type OtherManager = {
  tools: ReadonlySet<string>;
  tool: string;
  lockfile: string | undefined;
  version: string | undefined;
  npx: string;
  words: string[];
  before?: string;
};

/**
 * npx gives the version that the project names; without one, what is installed is as good. Not by corepack,
 * although many machines have it: it refuses registries other than the public one, whose signatures it does
 * not know.
 */
function installByOther({
  tools,
  tool,
  lockfile,
  version,
  npx,
  words,
  before = '',
}: OtherManager): BuildStep {
  const installed = tools.has(tool) && (version === undefined || !tools.has('npx'));
  const run = (program: string): BuildStep => ({
    do: 'run',
    command: `${before}${[program, ...words].join(' ')}`,
  });
  if (installed) return run(tool);
  if (tools.has('npx')) return run(npx);
  const who = lockfile ?? 'packageManager in package.json';
  const reason = `${who} asks for ${tool}, but neither ${tool} nor npx is installed on this machine`;
  return { do: 'fail', reason };
}

const pnpmPackage = (packageManager: string | undefined): string =>
  `pnpm@${namedVersion('pnpm', packageManager) ?? PNPM_VERSION}`;

const isYarnClassic = (files: ReadonlySet<string>, version: string | undefined): boolean =>
  version === undefined ? !files.has('.yarnrc.yml') : /^[01]\./.test(version);

function yarnPackage(files: ReadonlySet<string>, packageManager: string | undefined): string {
  const version = namedVersion('yarn', packageManager);
  return isYarnClassic(files, version)
    ? `yarn@${version ?? YARN_CLASSIC_VERSION}`
    : `@yarnpkg/cli-dist@${version ?? YARN_VERSION}`;
}

/**
 * A line with the package manager on PATH that it, or a script of package.json that it runs, calls, where
 * none is installed. npx gives it to all that the line starts, in the version that the project names.
 */
export function withManager(line: string, { tools, files, packageJson }: ProjectFacts): string {
  if (packageJson === undefined || !tools.has('npx')) return line;
  const { scripts, packageManager } = packageJson;
  const called = programsOf([line], scripts);
  const isMissing = (tool: string): boolean => called.has(tool) && !tools.has(tool);
  const wrap = (name: string): string => `npx --yes --package=${name} -c ${quote(line)}`;
  if (isMissing('pnpm')) return wrap(pnpmPackage(packageManager));
  return isMissing('yarn') ? wrap(yarnPackage(files, packageManager)) : line;
}

/** The exact version in `packageManager` (`pnpm@10.1.0+sha512.…`); nothing else goes into a command. */
function namedVersion(tool: string, packageManager: string | undefined): string | undefined {
  const [, name, version] = /^(\w+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(packageManager ?? '') ?? [];
  return name === tool ? version : undefined;
}

/**
 * The agent server of a project that brings none, in its own folder or one above. It gets a folder of its
 * own, always by npm, so that the project's dependencies and its lockfile stay as they are.
 */
function agentServer({ root, folder, facts }: JavaScriptProject): InstallPart {
  const name = JAVASCRIPT_SERVER.slice(0, JAVASCRIPT_SERVER.lastIndexOf('@'));
  const install: BuildStep = {
    do: 'run',
    folder: AGENT_SERVER_FOLDER,
    command: `npm install --no-save --no-package-lock ${JAVASCRIPT_SERVER}`,
  };
  const withoutNpm: BuildStep = {
    do: 'fail',
    reason: 'npm is not installed on this machine, and the agent server comes by it',
  };
  return {
    kind: 'agent-server',
    makes: join(AGENT_SERVER_FOLDER, 'node_modules'),
    unless: [folder, ...foldersAbove(root, folder)].map((at) =>
      pathWithin(root, join(at, 'node_modules', '.bin', 'langgraphjs')),
    ),
    says: `The project does not bring ${name}, which runs its graphs: adding ${JAVASCRIPT_SERVER} in ${AGENT_SERVER_FOLDER}`,
    // Where npm finds a package.json it looks no further up for a project to change.
    fresh: { folder: AGENT_SERVER_FOLDER, files: { 'package.json': JSON.stringify({ private: true }) } },
    steps: [facts.tools.has('npm') ? install : withoutNpm],
  };
}

/** The folders above the project, up to the root of the source. */
export function foldersAbove(root: string, folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; at !== root && at !== dirname(at); ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

async function withWorkspaceLockfile({ root, folder, facts }: JavaScriptProject): Promise<ProjectFacts> {
  if (LOCKFILES.some((name) => facts.files.has(name))) return facts;
  const above = (await Promise.all(foldersAbove(root, folder).map((one) => readdir(one)))).flat();
  return {
    ...facts,
    files: new Set([...facts.files, ...above.filter((name) => WORKSPACE_LOCKFILES.includes(name))]),
  };
}
