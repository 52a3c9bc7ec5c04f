import { join, relative } from 'node:path';
import { PYTHON_ENVIRONMENT } from '../processes/python/environment.ts';
import type { AgentProject } from './agent-project.ts';
import { durableStep } from './durable.ts';
import { BuildFailure } from './failure.ts';
import { type BuildPlan, type BuildStep, quote } from './plan.ts';
import { pathWithin } from './project.ts';
import { type LocalDependency, type PythonDependencies, readDependencies } from './python-dependencies.ts';
import { PYTHON_MINOR_OLDEST, PYTHON_SERVER_VERSION } from './versions.ts';

/** The interpreter that a project is built with: `version` like `3.12`. */
export type Interpreter = { version: string; executable: string };

/** Which Python a project asks for. */
export type PythonWish = {
  /** The minor version that it names, such as `3.12`. */
  version?: string;
  /** The version or range as the project has it. */
  asked?: string;
  /** Whether a minor version will do. */
  fits: (version: string) => boolean;
  /** Where it says so, for people: the beginning of a sentence. */
  from: string;
};

/** What an agent project asks for. Throws BuildFailure for a version that no agent server runs on. */
export function wishOfAgent({ config, fileName }: AgentProject): PythonWish {
  const from = `${fileName}: python_version ${config.python_version ?? 'is not given'}`;
  const [version] = /^\d+\.\d+/.exec(config.python_version ?? '') ?? [];
  if (version === undefined) return { fits: isNewEnough, from };
  if (!isNewEnough(version))
    throw new BuildFailure(
      `${fileName}: python_version ${version}: the agent server needs Python 3.${PYTHON_MINOR_OLDEST} or later`,
    );
  return { version, fits: (one) => one === version, from };
}

/** Whether the agent server runs on this version of Python. */
function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 3 && minor >= PYTHON_MINOR_OLDEST;
}

/** A virtual environment in the project's folder, made by uv, with its dependencies and an agent server. */
export async function installPython(
  project: AgentProject,
  python: Interpreter,
  { installCommand, isDurable }: { installCommand: string | undefined; isDurable: boolean },
): Promise<Pick<BuildPlan, 'environment' | 'venv' | 'install' | 'notes'>> {
  const dependencies = await readDependencies(project);
  const { root, folder, config } = project;
  const venv = pathWithin(root, join(folder, PYTHON_ENVIRONMENT));
  const own: BuildStep[] = installCommand
    ? [{ do: 'run', command: installCommand }]
    : installSteps(folder, python, dependencies);
  const server: BuildStep = isDurable
    ? await durableStep(project, dependencies, Boolean(installCommand))
    : { do: 'python-server', version: PYTHON_SERVER_VERSION };
  const steps: BuildStep[] = [...own, server];
  const made = makeEnvironment(venv, python, steps, { seed: false });
  const { pip_config_file: pip } = config;
  return pip ? { ...made, environment: { ...made.environment, PIP_CONFIG_FILE: pip } } : made;
}

/** A virtual environment that uv makes anew, and the steps that install into it. `seed`: with pip. */
export function makeEnvironment(
  venv: string,
  python: Interpreter,
  steps: BuildStep[],
  { seed }: { seed: boolean },
): Pick<BuildPlan, 'environment' | 'venv' | 'install' | 'notes'> {
  const make: BuildStep = {
    do: 'run',
    command: `uv venv ${seed ? '--seed ' : ''}--python ${quote(python.executable)} ${PYTHON_ENVIRONMENT}`,
  };
  return {
    notes: [{ text: `Python ${python.version} (${python.executable}), installing with uv`, level: 'INFO' }],
    environment: {
      // No interpreter but the one that the agent server gets where it runs.
      UV_PYTHON_DOWNLOADS: 'never',
      UV_NO_PROGRESS: '1',
      // Linked files would be shared with uv's own cache, where a build could change them.
      UV_LINK_MODE: 'copy',
      // Else every start of every revision would compile everything again.
      UV_COMPILE_BYTECODE: '1',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_NO_INPUT: '1',
    },
    venv: { folder: venv, python },
    install: [{ kind: 'venv', makes: venv, fresh: { folder: venv, files: {} }, steps: [make, ...steps] }],
  };
}

function installSteps(
  from: string,
  python: Interpreter,
  { local, packages }: PythonDependencies,
): BuildStep[] {
  const way = (path: string): string => quote(relative(from, path) || '.');
  const synced = local.filter((one) => one.locked);
  const wanted = [
    ...local.filter((one) => !one.locked).flatMap((one) => argumentsFor(one, way)),
    ...packages.map(quote),
  ];
  const install: BuildStep[] =
    wanted.length > 0 ? [{ do: 'run', command: `uv pip install ${wanted.join(' ')}` }] : [];
  if (synced.length + install.length === 0) return [{ do: 'skip', reason: 'no dependency names packages' }];
  return [...synced.map((one) => syncStep(way(one.folder), python, one.package)), ...install];
}

function argumentsFor({ folder, kind }: LocalDependency, way: (path: string) => string): string[] {
  if (kind === 'package') return ['-e', way(folder)];
  return kind === 'requirements' ? ['-r', way(join(folder, 'requirements.txt'))] : [];
}

/** Installs what a uv.lock has locked; of a workspace one `package`, where that is named. */
export function syncStep(project: string, { executable }: Interpreter, name?: string): BuildStep {
  const one = name === undefined ? '' : ` --package ${quote(name)}`;
  const command = `uv sync --no-dev --inexact --python ${quote(executable)} --project ${project}${one}`;
  return {
    do: 'run',
    command: `${command} --locked`,
    fallback: {
      onOutput: 'lockfile.*needs to be updated',
      command,
      reason: 'uv.lock does not fit pyproject.toml, so uv chooses the versions anew',
    },
  };
}
