import { join } from 'node:path';
import { PYTHON_ENVIRONMENT } from '../processes/python/environment.ts';
import { commandsOf } from './detect/python.ts';
import type { SourceFiles } from './detect/source-files.ts';
import { tomlString, tomlTables } from './detect/toml.ts';
import { type BuildPlan, type BuildStep, quote } from './plan.ts';
import { pathWithin } from './project.ts';
import { type Interpreter, makeEnvironment, type PythonWish, syncStep } from './python.ts';
import {
  GUNICORN_VERSION,
  PDM_VERSION,
  PIPENV_VERSION,
  POETRY_EXPORT_VERSION,
  POETRY_VERSION,
  UVICORN_VERSION,
} from './versions.ts';

/** Servers that are added at a version that was tried; others come as new as there are. */
const ADDED: Readonly<Record<string, string>> = {
  gunicorn: `gunicorn==${GUNICORN_VERSION}`,
  uvicorn: `uvicorn==${UVICORN_VERSION}`,
};

/** Lists what a lockfile has locked, one requirement a line, on its standard output. */
type Exporter = { lockfile: string; tool: string; command: string };

/** The lockfiles that uv does not read, and what their own tools make of them. */
const EXPORTERS: readonly Exporter[] = [
  {
    lockfile: 'poetry.lock',
    tool: `--with poetry-plugin-export==${POETRY_EXPORT_VERSION} poetry@${POETRY_VERSION}`,
    command: 'export --without-hashes',
  },
  {
    lockfile: 'pdm.lock',
    tool: `pdm@${PDM_VERSION}`,
    command: 'export --prod --without-hashes --format requirements',
  },
  { lockfile: 'Pipfile.lock', tool: `pipenv@${PIPENV_VERSION}`, command: 'requirements' },
];

/** What a lockfile that uv does not read is written as, in the environment's folder. */
const EXPORTED = `${PYTHON_ENVIRONMENT}/requirements.txt`;

export type PythonServerProject = {
  root: string;
  folder: string;
  files: SourceFiles;
  /** A package that the start line needs. */
  adds: string | undefined;
  installCommand: string | undefined;
};

/** A virtual environment in the project's folder, made by uv, with the project's dependencies. */
export function installPythonServer(
  { root, folder, files, adds, installCommand }: PythonServerProject,
  python: Interpreter,
): Pick<BuildPlan, 'environment' | 'venv' | 'install' | 'notes'> {
  const own: BuildStep[] = installCommand
    ? [{ do: 'run', command: installCommand }]
    : dependencySteps(files, python);
  const added: BuildStep[] =
    adds === undefined ? [] : [{ do: 'python-package', name: adds, requirement: ADDED[adds] ?? adds }];
  const venv = pathWithin(root, join(folder, PYTHON_ENVIRONMENT));
  // A command of the project's own may call pip.
  return makeEnvironment(venv, python, [...own, ...added], { seed: Boolean(installCommand) });
}

/** How dependencies are installed: the first lockfile that is there has the say, else the files without locks. */
function dependencySteps(files: SourceFiles, python: Interpreter): BuildStep[] {
  const tables = tomlTables(files.get('pyproject.toml') ?? '');
  if (files.has('uv.lock')) return [syncStep('.', python)];
  const exporter = EXPORTERS.find(({ lockfile }) => files.has(lockfile));
  if (exporter !== undefined) return exportSteps(exporter, files, python);
  const requirements = requirementsFile(files);
  if (requirements !== undefined) return [install('-r', quote(requirements))];
  if (tables.has('build-system') || files.has('setup.py') || tables.has('tool.poetry'))
    return [install('-e', '.')];
  if (tables.has('project')) return [install('-r', 'pyproject.toml')];
  const pipfile = [...(tomlTables(files.get('Pipfile') ?? '').get('packages') ?? [])];
  if (pipfile.length > 0)
    return [install(...pipfile.map(([name, value]) => quote(requirementOf(name, value))))];
  return [{ do: 'skip', reason: 'no file names Python packages' }];
}

const install = (...words: string[]): BuildStep => ({
  do: 'run',
  command: ['uv pip install', ...words].join(' '),
});

/** The locked versions, and the project itself where it declares commands. */
function exportSteps({ tool, command }: Exporter, files: SourceFiles, python: Interpreter): BuildStep[] {
  const run = `uv tool run --python ${quote(python.executable)} ${tool} ${command} > ${EXPORTED}`;
  const itself = commandsOf(files).length > 0 ? [install('--no-deps', '-e', '.')] : [];
  return [{ do: 'run', command: run }, install('-r', EXPORTED), ...itself];
}

/** `requirements.txt`, else the one for production or for all. */
function requirementsFile(files: SourceFiles): string | undefined {
  const names = [
    'requirements.txt',
    ...['production', 'prod', 'base'].flatMap((name) => [
      `requirements/${name}.txt`,
      `requirements-${name}.txt`,
    ]),
  ];
  return names.find((name) => files.has(name));
}

/** A line of a Pipfile as pip knows it: `"*"`, `"==1.2"`, or a table with `version` and `extras`. */
function requirementOf(name: string, value: string): string {
  const of = (key: string) => new RegExp(`${key}\\s*=\\s*"([^"]*)"`).exec(value)?.[1];
  const version = tomlString(value) ?? of('version') ?? '*';
  const extras = /extras\s*=\s*(\[[^\]]*\])/.exec(value)?.[1]?.replaceAll(/["'\s]/g, '') ?? '';
  return `${name}${extras}${version === '*' ? '' : version}`;
}

/** Which Python the project asks for, by the file that says it most exactly. */
export function pythonWish(files: SourceFiles): PythonWish {
  const minorIn = (file: string, pattern: RegExp) => {
    const version = pattern.exec(files.get(file) ?? '')?.[1];
    return version === undefined ? [] : [{ version, from: `${file} asks for Python ${version}` }];
  };
  const [named] = [
    ...minorIn('.python-version', /^(?:cpython[-@])?(3\.\d+)/m),
    ...minorIn('runtime.txt', /^python-(3\.\d+)/m),
    ...minorIn('Pipfile', /^python_(?:full_)?version\s*=\s*["'](3\.\d+)/m),
  ];
  if (named !== undefined) return { ...named, fits: (version) => version === named.version };
  const tables = tomlTables(files.get('pyproject.toml') ?? '');
  const range =
    tomlString(tables.get('project')?.get('requires-python')) ??
    tomlString(tables.get('tool.poetry.dependencies')?.get('python'));
  if (range === undefined) return { fits: isSupported, from: 'The project names no version of Python' };
  return {
    fits: (version) => isSupported(version) && isInRange(version, range),
    from: `pyproject.toml asks for Python ${range}`,
  };
}

/** What the servers that are added run on. */
const isSupported = (version: string): boolean => Number(version.split('.')[1]) >= 10;

/** Whether a minor version is in a range such as `>=3.11,<3.13`, `^3.11`, `~=3.11` or `3.12.*`; patch versions do not count. */
export function isInRange(version: string, range: string): boolean {
  const minor = Number(version.split('.')[1]);
  return range.split(/\s*(?:,|\s(?=[<>=!~^]))\s*/).every((part) => {
    const [, operator = '', major, wanted, patch] =
      /^\s*([<>=!~^]*)\s*(\d+)(?:\.(\d+))?(?:\.(\d+|\*))?/.exec(part) ?? [];
    if (major === undefined) return true;
    // No Python 4 in sight: an end of `<4` is none.
    if (major !== '3') return operator.startsWith('<');
    const at = Number(wanted ?? 0);
    if (operator === '>=') return minor >= at;
    if (operator === '>') return patch === undefined ? minor > at : minor >= at;
    if (operator === '<') return patch === undefined || patch === '0' ? minor < at : minor <= at;
    if (operator === '<=') return minor <= at;
    if (operator === '!=') return patch !== undefined && patch !== '*' ? true : minor !== at;
    if (operator === '^' || (operator === '~=' && patch === undefined)) return minor >= at;
    return wanted === undefined || minor === at;
  });
}
