import { mkdir, readdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findPython, findPythons, type Python } from '../../../processes/python.ts';
import {
  missingPython,
  openPythonEnvironment,
  PYTHON_ENVIRONMENT,
  sealPythonEnvironment,
} from '../../../processes/python-environment.ts';
import { type AfterBuild, dropIfChanged } from '../after-build.ts';
import { type Cacheable, cacheKey } from '../cache-key.ts';
import type { DependencyCache } from '../dependency-cache.ts';
import { BuildFailure } from '../failure.ts';
import { runStep, type StepContext } from '../run-step.ts';
import type { AgentProject } from './config.ts';
import {
  type LocalDependency,
  type PythonDependencies,
  readDependencies,
  reasonNotToKeep,
  textsOf,
} from './python-dependencies.ts';
import { provideUv } from './uv.ts';

/** Tried together with the examples. */
const DEV_SERVER_VERSION = '0.4.40';
/** The dev server runs on these and later ones. */
const OLDEST_MINOR = 11;

export type PythonInstall = {
  project: AgentProject;
  installCommand: string | undefined;
  environment: Record<string, string>;
  cache: DependencyCache;
  /** Holds the tools that all builds of this machine share. */
  toolsFolder: string;
};

/** What the build goes on with. */
export type Installed = {
  /** With the environment's tools first on PATH. */
  environment: Record<string, string>;
  /** Makes the environment ready to move with its folder; to be called when nothing more is run in it. */
  seal: () => Promise<void>;
  afterBuild: AfterBuild;
};

type Work = StepContext & PythonInstall & { venv: string; python: Python; withUv: boolean };

/**
 * Makes a virtual environment in the project's folder and installs its dependencies and, if it brings none, a dev server. Throws
 * BuildFailure with the reason, the installer's own last lines included.
 */
export async function installPython(context: StepContext, request: PythonInstall): Promise<Installed> {
  const { project, cache, installCommand } = request;
  const path = request.environment.PATH ?? '';
  const python = await choosePython(project, path);
  const dependencies = await readDependencies(project);
  const needed = dependencies.local.some((one) => one.locked);
  const uvFolders = await provideUv(context, { ...request, python, needed });
  const withUv = uvFolders !== undefined;
  const venv = join(project.folder, PYTHON_ENVIRONMENT);
  const environment = environmentFor(request, venv, uvFolders ?? []);
  const work: Work = { ...context, ...request, environment, venv, python, withUv };
  context.log.say(
    `Python ${python.version} (${python.executable}), installing with ${withUv ? 'uv' : 'venv and pip'}`,
  );
  const seal = () => sealPythonEnvironment(venv, project.root, python);
  const cacheable = installCommand
    ? { not: 'the install command is the project’s own' }
    : await keyOf(work, dependencies);
  const open = () => openPythonEnvironment(venv, project.root, path);
  await rm(venv, { recursive: true, force: true });
  const stored = 'key' in cacheable ? await cache.restore(cacheable.key, venv) : undefined;
  if (stored !== undefined) {
    context.log.say(
      `Cache hit: ${PYTHON_ENVIRONMENT} as installed on ${stored.toISOString()} for the same request`,
    );
    await open();
  } else {
    await installAnew(work, dependencies);
    await keep(work, cacheable, seal, open);
  }
  return { environment, seal, afterBuild: () => afterBuild(work, cacheable) };
}

async function keep(
  work: Work,
  cacheable: Cacheable,
  seal: () => Promise<void>,
  open: () => Promise<unknown>,
): Promise<void> {
  const { log, cache, venv } = work;
  if ('not' in cacheable)
    return log.say(`What was installed is not kept for the next build: ${cacheable.not}`);
  await seal();
  if (await cache.store(cacheable.key, venv)) log.say(`Kept ${PYTHON_ENVIRONMENT} for the next build`);
  await open();
}

async function afterBuild(work: Work, cacheable: Cacheable): Promise<void> {
  if ('key' in cacheable) await dropIfChanged(work, work.cache, cacheable.key)();
}

async function choosePython({ config, fileName }: AgentProject, path: string): Promise<Python> {
  const [wanted] = /^\d+\.\d+/.exec(config.python_version ?? '') ?? [];
  const exact = wanted === undefined ? undefined : await findPython(wanted, path);
  if (exact !== undefined && isNewEnough(exact)) return exact;
  const pythons = await findPythons(path);
  const any = wanted === undefined ? pythons.find(isNewEnough) : undefined;
  if (any !== undefined) return any;
  const why =
    exact === undefined
      ? missingPython(wanted ?? `3.${OLDEST_MINOR} or later`, pythons)
      : `the agent server needs Python 3.${OLDEST_MINOR} or later`;
  throw new BuildFailure(`${fileName}: python_version ${config.python_version ?? 'is not given'}: ${why}`);
}

const isNewEnough = ({ version }: Python): boolean => Number(version.split('.')[1]) >= OLDEST_MINOR;

function environmentFor(
  { environment, project: { config } }: PythonInstall,
  venv: string,
  uvFolders: readonly string[],
): Record<string, string> {
  const pip = config.pip_config_file;
  return {
    ...environment,
    PATH: [join(venv, 'bin'), ...uvFolders, environment.PATH ?? ''].join(delimiter),
    VIRTUAL_ENV: venv,
    UV_PROJECT_ENVIRONMENT: venv,
    UV_PYTHON_DOWNLOADS: 'never',
    UV_NO_PROGRESS: '1',
    // Linked files would be shared with uv's own cache, where a build could change them.
    UV_LINK_MODE: 'copy',
    // Else every start of every revision would compile everything again.
    UV_COMPILE_BYTECODE: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    ...(pip !== undefined && pip !== null && { PIP_CONFIG_FILE: pip }),
  };
}

async function keyOf(
  { project, python, withUv }: Work,
  dependencies: PythonDependencies,
): Promise<Cacheable> {
  const not = await reasonNotToKeep(dependencies);
  if (not !== undefined) return { not };
  const { local, packages } = dependencies;
  const locked = withUv && packages.length === 0 && local.every((one) => one.locked || one.kind === 'files');
  const { folder, root, config } = project;
  const place = folder.slice(root.length);
  const texts = await textsOf(dependencies, root);
  const parts = [
    'python',
    python.version,
    python.executable,
    String(withUv),
    DEV_SERVER_VERSION,
    place,
    config.pip_config_file ?? '',
  ];
  return { key: cacheKey([...parts, ...texts], locked) };
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

async function installAnew(work: Work, dependencies: PythonDependencies): Promise<void> {
  const { withUv, python, venv, installCommand } = work;
  const make = withUv
    ? `uv venv --python ${quote(python.executable)}`
    : `${quote(python.executable)} -m venv`;
  await run(work, `${make} ${quote(venv)}`);
  if (installCommand) await run(work, installCommand);
  else await installDependencies(work, dependencies);
  await addDevServer(work);
}

async function installDependencies(work: Work, { local, packages }: PythonDependencies): Promise<void> {
  const { log } = work;
  const synced = local.filter((one) => one.locked);
  for (const { folder } of synced) await sync(work, folder);
  const rest = local.filter((one) => !synced.includes(one));
  const wanted = [...rest.flatMap(argumentsFor), ...packages.map(quote)];
  if (wanted.length > 0) await run(work, `${installerOf(work)} ${wanted.join(' ')}`);
  else if (synced.length === 0) log.say('Nothing to install: no dependency names packages');
}

function argumentsFor({ folder, kind }: LocalDependency): string[] {
  if (kind === 'package') return ['-e', quote(folder)];
  return kind === 'requirements' ? ['-r', quote(join(folder, 'requirements.txt'))] : [];
}

async function sync(work: Work, folder: string): Promise<void> {
  const command = `uv sync --no-dev --inexact --python ${quote(work.python.executable)} --project ${quote(folder)}`;
  const fallback = {
    onOutput: /lockfile.*needs to be updated/i,
    command,
    reason: 'uv.lock does not fit pyproject.toml, so uv chooses the versions anew',
  };
  await runStep(work, {
    name: 'install',
    plan: { do: 'run', command: `${command} --locked`, fallback },
    cwd: work.project.folder,
    environment: work.environment,
  });
}

const installerOf = ({ withUv, venv }: Work): string =>
  withUv
    ? 'uv pip install'
    : `${quote(join(venv, 'bin', 'python'))} -m pip install --quiet --no-warn-script-location`;

async function run(work: Work, command: string): Promise<void> {
  const { project, environment } = work;
  await mkdir(project.folder, { recursive: true });
  await runStep(work, { name: 'install', plan: { do: 'run', command }, cwd: project.folder, environment });
}

async function addDevServer(work: Work): Promise<void> {
  const packages = join(work.venv, 'lib', `python${work.python.version}`, 'site-packages');
  const names = await readdir(packages);
  const versionOf = (name: string) =>
    names
      .map((one) => new RegExp(`^${name}-([^-]+)\\.dist-info$`).exec(one)?.[1])
      .find((one) => one !== undefined);
  const cli = versionOf('langgraph_cli');
  if (cli !== undefined && versionOf('langgraph_api') !== undefined) return;
  const wanted = `langgraph-cli[inmem]==${cli ?? DEV_SERVER_VERSION}`;
  work.log.say(`The project does not bring langgraph-cli[inmem], which runs its graphs: adding ${wanted}`);
  await run(work, `${installerOf(work)} ${quote(wanted)}`);
}
