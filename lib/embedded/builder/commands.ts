/** What was found in the folder that is built. */
export type ProjectFacts = {
  /** Names of its files. */
  files: ReadonlySet<string>;
  /** The parsed package.json, if there is one. */
  packageJson: PackageJson | undefined;
  /** Which of `npm`, `npx`, `pnpm`, `yarn`, `corepack` can be run here. */
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

/** pnpm and yarn for projects that name no version, where neither they nor corepack are installed. */
const PNPM = 'pnpm@10';
const YARN_CLASSIC = 'yarn@1';
const YARN_BERRY = '@yarnpkg/cli-dist@4';

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
  if (files.has('pnpm-lock.yaml')) return planPnpm(facts);
  if (files.has('yarn.lock')) return planYarn(facts, packageJson);
  if (packageJson.hasDependencies) return needs(facts, 'npm', { do: 'run', command: 'npm install' });
  return { do: 'skip', reason: 'package.json names no dependencies' };
}

/** How the project is built: as the client says, else its `build` script, else not at all. */
export function planBuild(facts: ProjectFacts, buildCommand: string | undefined): StepPlan {
  if (buildCommand) return { do: 'run', command: buildCommand };
  if (facts.packageJson?.scripts.build === undefined)
    return { do: 'skip', reason: 'there is no build script' };
  return needs(facts, 'npm', { do: 'run', command: 'npm run build' });
}

function needs(facts: ProjectFacts, tool: string, plan: StepPlan): StepPlan {
  if (facts.tools.has(tool)) return plan;
  return { do: 'fail', reason: `${tool} is not installed on this machine` };
}

function planPnpm({ tools }: ProjectFacts): StepPlan {
  const run = (pnpm: string): StepPlan => ({ do: 'run', command: `${pnpm} install --frozen-lockfile` });
  if (tools.has('pnpm')) return run('pnpm');
  if (tools.has('corepack')) return run('corepack pnpm');
  if (tools.has('npx')) return run(`npx --yes ${PNPM}`);
  return missing('pnpm-lock.yaml', 'pnpm');
}

/** Yarn 1 and later ones share a lockfile's name, but not the option that keeps it as it is. */
function planYarn({ tools, files }: ProjectFacts, { packageManager }: PackageJson): StepPlan {
  const berry = files.has('.yarnrc.yml') || /^yarn@[2-9]/.test(packageManager ?? '');
  const option = berry ? '--immutable' : '--frozen-lockfile';
  const run = (yarn: string): StepPlan => ({ do: 'run', command: `${yarn} install ${option}` });
  if (tools.has('yarn')) return run('yarn');
  if (tools.has('corepack')) return run('corepack yarn');
  if (tools.has('npx'))
    return run(berry ? `npx --yes --package=${YARN_BERRY} yarn` : `npx --yes ${YARN_CLASSIC}`);
  return missing('yarn.lock', 'yarn');
}

function missing(lockfile: string, tool: string): StepPlan {
  const reason = `${lockfile} asks for ${tool}, but neither ${tool}, corepack nor npx is installed on this machine`;
  return { do: 'fail', reason };
}
