/** What was found in the folder that is built. */
export type ProjectFacts = {
  /** Names of its files. */
  files: ReadonlySet<string>;
  /** The parsed package.json, if there is one. */
  packageJson: PackageJson | undefined;
  /** Which of `npm`, `npx`, `pnpm`, `yarn` can be run here. */
  tools: ReadonlySet<string>;
};

export type PackageJson = {
  scripts: Record<string, string>;
  hasDependencies: boolean;
  /** `packageManager`, such as `pnpm@10.1.0`. */
  packageManager: string | undefined;
};

/** What a step does: run a command, nothing (`reason` says why), or fail because a tool is missing. */
export type StepPlan =
  | { do: 'run'; command: string; fallback?: { onOutput: RegExp; command: string; reason: string } }
  | { do: 'skip'; reason: string }
  | { do: 'fail'; reason: string };

/**
 * For projects that name no version. Not by corepack, although many machines have it: it refuses registries other than the public
 * one, whose signatures it does not know.
 */
const PNPM_VERSION = '10';
const YARN_CLASSIC_VERSION = '1';
const YARN_VERSION = '4';

const npmCi: StepPlan = {
  do: 'run',
  command: 'npm ci',
  fallback: {
    // Lockfile and package.json disagree. Any other failure of npm ci would fail npm install as well, or must be seen.
    onOutput: /\bnpm (error|ERR!) code EUSAGE\b/,
    command: 'npm install',
    reason:
      'package-lock.json does not fit package.json (npm reported EUSAGE), so `npm install` is used instead of `npm ci`',
  },
};

/** How dependencies are installed: as the client says, else by the lockfile. */
export function planInstall(facts: ProjectFacts, installCommand: string | undefined): StepPlan {
  if (installCommand) return { do: 'run', command: installCommand };
  const { files, packageJson } = facts;
  if (packageJson === undefined) return { do: 'skip', reason: 'there is no package.json' };
  if (files.has('package-lock.json') || files.has('npm-shrinkwrap.json')) return needs(facts, 'npm', npmCi);
  if (files.has('pnpm-lock.yaml')) return planPnpm(facts, packageJson);
  if (files.has('yarn.lock')) return planYarn(facts, packageJson);
  if (packageJson.hasDependencies) return needs(facts, 'npm', { do: 'run', command: 'npm install' });
  return { do: 'skip', reason: 'package.json names no dependencies' };
}

/** Whether the project has a `build` script that is not run: an agent server runs the sources, so only a client can ask for it. */
export function leavesBuildScript(
  { packageJson }: Pick<ProjectFacts, 'packageJson'>,
  buildCommand: string | undefined,
  isAgent: boolean,
): boolean {
  return isAgent && !buildCommand && packageJson?.scripts.build !== undefined;
}

/** How the project is built: as the client says, else its `build` script unless it is an agent, else not at all. */
export function planBuild(facts: ProjectFacts, buildCommand: string | undefined, isAgent: boolean): StepPlan {
  if (buildCommand) return { do: 'run', command: buildCommand };
  if (facts.packageJson?.scripts.build === undefined)
    return { do: 'skip', reason: 'there is no build script' };
  if (isAgent)
    return {
      do: 'skip',
      reason:
        'the `build` script of package.json was not run, since an agent server runs the sources; to run it, set build_command to "npm run build"',
    };
  return needs(facts, 'npm', { do: 'run', command: 'npm run build' });
}

function needs(facts: ProjectFacts, tool: string, plan: StepPlan): StepPlan {
  if (facts.tools.has(tool)) return plan;
  return { do: 'fail', reason: `${tool} is not installed on this machine` };
}

function planPnpm({ tools }: ProjectFacts, { packageManager }: PackageJson): StepPlan {
  const version = namedVersion('pnpm', packageManager);
  const npx = `npx --yes pnpm@${version ?? PNPM_VERSION}`;
  return planOther({
    tools,
    tool: 'pnpm',
    lockfile: 'pnpm-lock.yaml',
    version,
    npx,
    option: '--frozen-lockfile',
  });
}

/** Yarn 1 and later ones share a lockfile's name, but neither package nor the option that keeps the lockfile as it is. */
function planYarn({ tools, files }: ProjectFacts, { packageManager }: PackageJson): StepPlan {
  const version = namedVersion('yarn', packageManager);
  const classic = version === undefined ? !files.has('.yarnrc.yml') : /^[01]\./.test(version);
  const npx = classic
    ? `npx --yes yarn@${version ?? YARN_CLASSIC_VERSION}`
    : `npx --yes --package=@yarnpkg/cli-dist@${version ?? YARN_VERSION} yarn`;
  const option = classic ? '--frozen-lockfile' : '--immutable';
  return planOther({ tools, tool: 'yarn', lockfile: 'yarn.lock', version, npx, option });
}

type OtherManager = {
  tools: ReadonlySet<string>;
  tool: string;
  lockfile: string;
  version: string | undefined;
  npx: string;
  option: string;
};

/** npx gives the version that the project names; without one, what is installed is as good. */
function planOther({ tools, tool, lockfile, version, npx, option }: OtherManager): StepPlan {
  const installed = tools.has(tool) && (version === undefined || !tools.has('npx'));
  if (installed) return { do: 'run', command: `${tool} install ${option}` };
  if (tools.has('npx')) return { do: 'run', command: `${npx} install ${option}` };
  const reason = `${lockfile} asks for ${tool}, but neither ${tool} nor npx is installed on this machine`;
  return { do: 'fail', reason };
}

/** The exact version in `packageManager` (`pnpm@10.1.0+sha512.…`); nothing else goes into a command. */
function namedVersion(tool: string, packageManager: string | undefined): string | undefined {
  const [, name, version] = /^(\w+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(packageManager ?? '') ?? [];
  return name === tool ? version : undefined;
}
