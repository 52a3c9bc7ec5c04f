import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { changesOf, conflict, installedIn, NO_SOLUTION } from './durable.ts';
import { BuildFailure } from './failure.ts';
import { type BuildPlan, type BuildStep, type InstallPart, quote } from './plan.ts';
import { readPackageJson } from './project.ts';

/** Where a plan is carried out: this machine, or the inside of an image build. */
export type Site = {
  /** The source, an absolute path without links. */
  root: string;
  /** Of every command; what the plan adds to it comes on top. */
  environment: Record<string, string>;
  say(text: string, level?: 'INFO' | 'WARNING'): void;
  /**
   * Runs a line of shell. Resolves with how it failed, such as `exited with code 1`, or undefined when it did
   * not.
   */
  run(command: ShellCommand): Promise<string | undefined>;
};

export type ShellCommand = {
  name: StepName;
  line: string;
  cwd: string;
  environment: Record<string, string>;
  /** Hears of each line that the command prints. */
  onLine: (line: string) => void;
};

type StepName = 'install' | 'build';

/** Whether a part is to be installed: nothing is there that makes it needless. */
export async function isNeeded({ root }: Site, { unless = [] }: InstallPart): Promise<boolean> {
  const found = await Promise.all(unless.map((path) => exists(join(root, path))));
  return !found.includes(true);
}

/**
 * Makes a part's folder anew, where it asks for that. To be called before it is installed, or restored from
 * elsewhere.
 */
export async function preparePart({ root }: Site, { fresh }: InstallPart): Promise<void> {
  if (fresh === undefined) return;
  const folder = join(root, fresh.folder);
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(fresh.files)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Installs a part whose place is prepared. Throws BuildFailure when that fails. */
export async function installPart(site: Site, plan: BuildPlan, { says, steps }: InstallPart): Promise<void> {
  if (says !== undefined) site.say(says);
  for (const step of steps) await carryOut(site, plan, 'install', step);
}

/** Carries out a step. Throws BuildFailure when it cannot be, or fails. */
export async function carryOut(site: Site, plan: BuildPlan, name: StepName, step: BuildStep): Promise<void> {
  switch (step.do) {
    case 'fail':
      throw new BuildFailure(step.reason);
    case 'skip':
      return site.say(`Nothing to ${name}: ${step.reason}`);
    case 'script': {
      const packageJson = await readPackageJson(site.root, join(site.root, plan.folder));
      const isThere = packageJson?.scripts[step.name] !== undefined;
      return carryOut(site, plan, name, isThere ? step.present : step.absent);
    }
    case 'python-server':
      return addPythonServer(site, plan, step.version);
    case 'durable-worker':
      return addDurableWorker(site, plan, step.command);
    case 'python-package':
      return addPythonPackage(site, plan, step);
    case 'run':
      return run(site, plan, name, step);
  }
}

type RunStep = Extract<BuildStep, { do: 'run' }>;

async function run(site: Site, plan: BuildPlan, name: StepName, step: RunStep): Promise<void> {
  const { command, fallback } = step;
  const pattern = fallback && new RegExp(fallback.onOutput, 'i');
  let fallsBack = false;
  const watch = (line: string) => {
    fallsBack ||= pattern?.test(line) ?? false;
  };
  const how = { name, cwd: join(site.root, step.folder ?? plan.folder), environment: variables(site, plan) };
  const failed = await site.run({ ...how, line: command, onLine: watch });
  if (failed === undefined) return;
  if (fallback === undefined || !fallsBack) throw new BuildFailure(`\`${command}\` ${failed}`, true);
  site.say(fallback.reason, 'WARNING');
  const failedAgain = await site.run({ ...how, line: fallback.command, onLine: () => undefined });
  if (failedAgain !== undefined) throw new BuildFailure(`\`${fallback.command}\` ${failedAgain}`, true);
}

/** With the tools of the plan's virtual environment first on PATH. */
function variables({ root, environment }: Site, plan: BuildPlan): Record<string, string> {
  if (plan.venv === undefined) return { ...environment, ...plan.environment };
  const venv = join(root, plan.venv.folder);
  return {
    ...environment,
    ...plan.environment,
    PATH: [join(venv, 'bin'), environment.PATH ?? ''].join(delimiter),
    VIRTUAL_ENV: venv,
    UV_PROJECT_ENVIRONMENT: venv,
  };
}

/** The version of a package in the plan's environment, by the name of its folder; undefined when it is not there. */
async function versionsIn(site: Site, plan: BuildPlan): Promise<(name: string) => string | undefined> {
  const lib = join(site.root, plan.venv?.folder ?? '', 'lib');
  const pythons = await readdir(lib).catch(() => []);
  const names = await Promise.all(
    pythons.map((one) => readdir(join(lib, one, 'site-packages')).catch(() => [])),
  );
  return (name) =>
    names
      .flat()
      .map((one) => new RegExp(`^${name}-([^-]+)\\.dist-info$`).exec(one)?.[1])
      .find((one) => one !== undefined);
}

type PackageStep = Extract<BuildStep, { do: 'python-package' }>;

async function addPythonPackage(
  site: Site,
  plan: BuildPlan,
  { name, requirement }: PackageStep,
): Promise<void> {
  const versionOf = await versionsIn(site, plan);
  if (versionOf(name) !== undefined) return;
  site.say(`The project does not bring ${name}, which its start needs: adding ${requirement}`);
  await run(site, plan, 'install', { do: 'run', command: `uv pip install ${quote(requirement)}` });
}

async function addDurableWorker(site: Site, plan: BuildPlan, command: string): Promise<void> {
  const environment = join(site.root, plan.venv?.folder ?? '');
  const before = await installedIn(environment);
  const lines: string[] = [];
  const where = {
    name: 'install',
    cwd: join(site.root, plan.folder),
    environment: variables(site, plan),
  } as const;
  const failed = await site.run({ ...where, line: command, onLine: (line) => void lines.push(line) });
  if (failed !== undefined && lines.some((line) => NO_SOLUTION.test(line))) throw conflict(before);
  if (failed !== undefined) throw new BuildFailure(`\`${command}\` ${failed}`, true);
  for (const text of changesOf(before, await installedIn(environment))) site.say(text);
}

async function addPythonServer(site: Site, plan: BuildPlan, version: string): Promise<void> {
  const versionOf = await versionsIn(site, plan);
  const tool = versionOf('langgraph_cli');
  if (tool !== undefined && versionOf('langgraph_api') !== undefined) return;
  const wanted = `langgraph-cli[inmem]==${tool ?? version}`;
  site.say(`The project does not bring langgraph-cli[inmem], which runs its graphs: adding ${wanted}`);
  await run(site, plan, 'install', { do: 'run', command: `uv pip install ${quote(wanted)}` });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
