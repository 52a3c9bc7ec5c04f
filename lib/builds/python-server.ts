import { join } from 'node:path';
import type { TomlValue } from 'smol-toml';
import { PYTHON_ENVIRONMENT } from '../processes/python/environment.ts';
import { commandsOf, requirementsFile } from './detect/python.ts';
import type { SourceFiles } from './detect/source-files.ts';
import { entriesIn, isTable, textIn, tomlOf, valueIn } from './detect/toml.ts';
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

/** An older Python gets the newest that there is for it. */
const requirementFor = (name: string, { version }: Interpreter): string =>
  (isSupported(version) ? ADDED[name] : undefined) ?? name;

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
  /** A uv.lock has its versions: its own, or that of the workspace that it belongs to. */
  locked: boolean;
  /** A package that the start line needs. */
  adds: string | undefined;
  installCommand: string | undefined;
};

/** A virtual environment in the project's folder, made by uv, with the project's dependencies. */
export function installPythonServer(
  { root, folder, files, locked, adds, installCommand }: PythonServerProject,
  python: Interpreter,
): Pick<BuildPlan, 'environment' | 'venv' | 'install' | 'notes'> {
  const own: BuildStep[] = installCommand
    ? [{ do: 'run', command: installCommand }]
    : dependencySteps(files, locked, python);
  const added: BuildStep[] =
    adds === undefined
      ? []
      : [{ do: 'python-package', name: adds, requirement: requirementFor(adds, python) }];
  const venv = pathWithin(root, join(folder, PYTHON_ENVIRONMENT));
  // A command of the project's own may call pip.
  return makeEnvironment(venv, python, [...own, ...added], { seed: Boolean(installCommand) });
}

/** How dependencies are installed: the first lockfile that is there has the say, else the files without locks. */
function dependencySteps(files: SourceFiles, locked: boolean, python: Interpreter): BuildStep[] {
  const pyproject = tomlOf(files, 'pyproject.toml');
  const has = (...keys: string[]): boolean => valueIn(pyproject, ...keys) !== undefined;
  if (locked) return [syncStep('.', python)];
  const exporter = EXPORTERS.find(({ lockfile }) => files.has(lockfile));
  if (exporter !== undefined) return exportSteps(exporter, files, python);
  const requirements = requirementsFile(files);
  if (requirements !== undefined) return [install('-r', quote(requirements))];
  if (has('build-system') || files.has('setup.py') || has('tool', 'poetry')) return [install('-e', '.')];
  if (has('project')) return [install('-r', 'pyproject.toml')];
  const pipfile = entriesIn(tomlOf(files, 'Pipfile'), 'packages');
  if (pipfile.length > 0)
    return [install(...pipfile.flatMap(([name, value]) => requirementOf(name, value)).map(quote))];
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

/** An entry of a Pipfile in words of pip: `"*"`, `"==1.2"`, or a table that says more. */
function requirementOf(name: string, entry: TomlValue): string[] {
  const table = isTable(entry) ? entry : { version: entry };
  const path = textIn(table, 'path');
  if (path !== undefined) return table.editable === true ? ['-e', path] : [path];
  const extras = Array.isArray(table.extras) ? table.extras.filter((one) => typeof one === 'string') : [];
  const named = extras.length === 0 ? name : `${name}[${extras.join(',')}]`;
  const git = textIn(table, 'git');
  const ref = textIn(table, 'ref');
  const markers = textIn(table, 'markers');
  const version = textIn(table, 'version') ?? '*';
  const at = git === undefined ? '' : ` @ git+${git}${ref === undefined ? '' : `@${ref}`}`;
  const which = at || (version === '*' ? '' : version);
  return [`${named}${which}${markers === undefined ? '' : ` ; ${markers}`}`];
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
  if (named !== undefined)
    return { ...named, asked: named.version, fits: (version) => version === named.version };
  const pyproject = tomlOf(files, 'pyproject.toml');
  const range =
    textIn(pyproject, 'project', 'requires-python') ??
    textIn(pyproject, 'tool', 'poetry', 'dependencies', 'python');
  if (range === undefined) return { fits: isSupported, from: 'The project names no version of Python' };
  return {
    asked: range,
    fits: (version) => isSupported(version) && isInRange(version, range),
    from: `pyproject.toml asks for Python ${range}`,
  };
}

/** What the servers that are added run on. */
const isSupported = (version: string): boolean => Number(version.split('.')[1]) >= 10;

/**
 * Whether a minor version is in a range such as `>=3.11,<3.13`, `^3.11`, `~=3.11`, `3.12.*` or
 * `3.11.* || 3.13.*`; patch versions do not count.
 */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => isInAll(Number(version.split('.')[1]), part));
}

/** Whether all conditions of a range hold. */
function isInAll(minor: number, range: string): boolean {
  let operator = '';
  for (const word of range.match(/[<>=!~^]+|[\d.*]+/g) ?? []) {
    if (/^[<>=!~^]/.test(word)) {
      operator = word;
      continue;
    }
    if (!holds(minor, operator, word.split('.'))) return false;
    operator = '';
  }
  return true;
}

function holds(minor: number, operator: string, [major, wanted = '', patch]: string[]): boolean {
  // No Python 4 in sight: an end of `<4` is none.
  if (major !== '3') return operator.startsWith('<') || major === '*';
  const named = wanted !== '' && wanted !== '*';
  const at = named ? Number(wanted) : 0;
  if (operator === '>=') return minor >= at;
  if (operator === '>') return patch === undefined ? minor > at : minor >= at;
  if (operator === '<') return patch === undefined || patch === '0' ? minor < at : minor <= at;
  if (operator === '<=') return minor <= at;
  if (operator === '!=') return patch !== undefined && patch !== '*' ? true : minor !== at;
  if (operator === '^' || (operator === '~=' && patch === undefined)) return minor >= at;
  return !named || minor === at;
}
