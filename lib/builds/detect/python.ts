import { dirname, join } from 'node:path';
import { programsOf } from '../programs.ts';
import { type Application, applicationIn, imports, runOnImport } from './python-application.ts';
import type { Look, Server, ServerKind } from './server.ts';
import type { SourceFiles } from './source-files.ts';
import { entriesIn, tomlOf, valueIn } from './toml.ts';

/** Files that say what a Python project depends on. */
const DEPENDENCY_FILES =
  /^(?:uv\.lock|poetry\.lock|pdm\.lock|Pipfile(?:\.lock)?|requirements[^/]*\.txt|requirements\/[^/]+\.txt|setup\.py)$/;

/** `requirements.txt`, else the one for production or for all. */
export function requirementsFile(files: SourceFiles): string | undefined {
  const names = [
    'requirements.txt',
    ...['production', 'prod', 'base'].flatMap((name) => [
      `requirements/${name}.txt`,
      `requirements-${name}.txt`,
    ]),
  ];
  return names.find((name) => files.has(name));
}

/** Whether the project's own files say what it runs on; those for development alone do not. */
const installsSomething = (files: SourceFiles): boolean =>
  hasPythonDependencies(new Map([...files].filter(([path]) => !path.startsWith('requirements')))) ||
  requirementsFile(files) !== undefined;

/** Whether the project says what Python packages it depends on; a pyproject.toml may hold settings of tools alone. */
export function hasPythonDependencies(files: SourceFiles): boolean {
  if ([...files.keys()].some((path) => DEPENDENCY_FILES.test(path))) return true;
  const pyproject = tomlOf(files, 'pyproject.toml');
  return [['project'], ['tool', 'poetry'], ['build-system']].some(
    (keys) => valueIn(pyproject, ...keys) !== undefined,
  );
}

/** The names of the commands that the project declares, which are there once it is installed. */
export function commandsOf(files: SourceFiles): string[] {
  const pyproject = tomlOf(files, 'pyproject.toml');
  return [['project'], ['tool', 'poetry']].flatMap((keys) =>
    entriesIn(pyproject, ...keys, 'scripts').map(([name]) => name),
  );
}

/** Programs that serve an application, and that projects often leave to their host. */
const SERVERS = /^(?:uvicorn|gunicorn|hypercorn|daphne|waitress)(?=$|-serve$)/;

/** The package whose program a line of shell starts, such as `gunicorn`. */
export function packageOfLine(line: string): { adds?: string } {
  const modules = [...line.matchAll(/\bpython3? -m (\w+)/g)].map(([, module = '']) => module);
  const [adds] = [...programsOf([line], {}), ...modules].flatMap((one) => SERVERS.exec(one)?.[0] ?? []);
  return adds === undefined ? {} : { adds };
}

/** Whether one of the files that name dependencies has a word. */
function dependsOn(files: SourceFiles, word: RegExp): boolean {
  const named = [...files].filter(([path]) => DEPENDENCY_FILES.test(path) || path === 'pyproject.toml');
  return named.some(([, text]) => word.test(text));
}

/** A script that reads the variable PORT. */
const READS_PORT = /(?:environ(?:\.get)?|getenv)\s*[[(]\s*["']PORT["']/;

const NAMES = ['main', 'app', 'server', 'api', 'asgi', 'wsgi', 'run', 'index'];

/** How near a file is to where a server is looked for first; undefined where none is looked for. */
function rank(path: string): number | undefined {
  const [, folder = '', name = ''] = /^(?:([\w/-]+)\/)?([\w-]+)\.py$/.exec(path) ?? [];
  if (/(^|\/)(tests?|examples?|docs?|scripts?|migrations|benchmarks?)(\/|$)/.test(folder)) return undefined;
  const parts = folder === '' ? [] : folder.split('/');
  const depth = parts.length - (parts[0] === 'src' ? 1 : 0);
  const at = name === '__init__' ? NAMES.length : NAMES.indexOf(name);
  // A file of any name at the project's root comes last: `agent_server.py`.
  const any = depth === 0 && parts.length === 0 ? NAMES.length + 1 : undefined;
  const order = at === -1 ? any : at;
  return order === undefined || depth > 2 ? undefined : depth * 100 + (parts[0] === 'src' ? 50 : 0) + order;
}

/** The Python files where a server is looked for, in that order. */
function candidates(files: SourceFiles): [path: string, text: string][] {
  return [...files]
    .flatMap(([path, text]) => {
      const order = rank(path);
      return order === undefined ? [] : [{ path, text, order }];
    })
    .sort((one, other) => one.order - other.order)
    .map(({ path, text }): [string, string] => [path, text]);
}

/** The modules and packages of the project, by their paths without `.py`; a folder is a package of its own. */
function modulesOf(files: SourceFiles): ReadonlySet<string> {
  const modules = [...files.keys()].filter((path) => path.endsWith('.py')).map((path) => path.slice(0, -3));
  return new Set(modules.flatMap((path) => [path, ...foldersAbove(path)]));
}

/** The folders that a file lies in, `.` first. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['.', ...parts.map((_, depth) => parts.slice(0, depth + 1).join('/'))];
}

const IMPORTED = /^[^\S\n]*(?:from|import)[^\S\n]+(\w+)/;

/**
 * The folder that is put on the search path, and the module's name from there: the one in which most of what
 * the file imports is found. Where that says nothing, it is `src` for a file in it, else the project's own.
 */
function moduleOf(path: string, files: SourceFiles): { folder: string; module: string } {
  const lines = (files.get(path) ?? '').split('\n');
  const isPackage = path.endsWith('/__init__.py') || imports(lines, /^from \./);
  const above = foldersAbove(path);
  const folders = isPackage && above.length > 1 ? above.slice(0, -1) : above;
  const names = new Set(lines.flatMap((line) => IMPORTED.exec(line)?.[1] ?? []));
  const modules = modulesOf(files);
  const found = (folder: string): number =>
    [...names].filter((name) => modules.has(join(folder, name))).length;
  const usual = folders.includes('src') ? 'src' : '.';
  const folder = folders.reduce((best, one) => (found(one) > found(best) ? one : best), usual);
  const way = (folder === '.' ? path : path.slice(folder.length + 1))
    .replace(/\.py$/, '')
    .replace(/\/__init__$/, '');
  return { folder, module: way.replaceAll('/', '.') };
}

/**
 * The file of dependencies in a folder above a file, where the project's own folder has none, or is a
 * workspace of uv that the folder above the file is a member of.
 */
function dependenciesBeside(files: SourceFiles, path: string): string | undefined {
  const isWorkspace = valueIn(tomlOf(files, 'pyproject.toml'), 'tool', 'uv', 'workspace') !== undefined;
  if (installsSomething(files) && !isWorkspace) return undefined;
  const names = isWorkspace ? ['pyproject.toml'] : ['requirements.txt', 'pyproject.toml', 'Pipfile'];
  return foldersAbove(path)
    .slice(1)
    .flatMap((folder) => names.map((name) => `${folder}/${name}`))
    .find((name) => files.has(name));
}

function findApp(files: SourceFiles): Application | undefined {
  for (const [file, text] of candidates(files)) {
    const found = applicationIn(file, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

const app: ServerKind = {
  looksFor:
    'an application of FastAPI, Starlette, Flask or FastMCP, of ASGI or WSGI, in main.py, app.py, server.py and the like (also in src or a package)',
  find({ files, folder: built }) {
    const found = findApp(files);
    if (found === undefined) return undefined;
    const elsewhere = dependenciesBeside(files, found.file);
    if (elsewhere !== undefined)
      return {
        refused: `${found.file} defines ${found.what}, and its dependencies are in ${elsewhere}, which is not in the folder that is built: set root_directory to ${join(built, dirname(elsewhere))}`,
      };
    const text = files.get(found.file) ?? '';
    const { folder, module } = moduleOf(found.file, files);
    const runs = runOnImport(text, found.name);
    if (runs !== undefined)
      return READS_PORT.test(text)
        ? server(
            found,
            folder === '.' && module.includes('.') ? `python -m ${module}` : `python ${found.file}`,
          )
        : {
            refused: `${found.file} defines ${found.what} and runs it (\`${runs}…)\`) where no PORT is read, also when it is only imported: put that below a line \`if __name__ == "__main__":\``,
          };
    const target = `${module}:${found.object}`;
    return found.serve === 'wsgi'
      ? server(found, gunicorn(target, folder), 'gunicorn')
      : server(found, uvicorn(target, folder, found.serve), 'uvicorn');
  },
};

const server = ({ what, file }: Pick<Application, 'what' | 'file'>, line: string, adds?: string): Server => ({
  what,
  file,
  line,
  from: `\`${line}\``,
  python: adds === undefined ? {} : { adds },
});

const uvicorn = (target: string, folder: string, serve: Application['serve']): string =>
  [
    'uvicorn',
    ...(folder === '.' ? [] : ['--app-dir', folder]),
    ...(serve === 'asgi-factory' ? ['--factory'] : []),
    // Frameworks know what lies before the paths of their own; a function of the project's sees what is
    // asked for.
    ...(serve === 'asgi-function' ? ['--root-path='] : []),
    target,
    '--host $HOST --port $PORT',
  ].join(' ');

const gunicorn = (target: string, folder: string): string =>
  [
    'gunicorn',
    ...(folder === '.' ? [] : ['--pythonpath', folder]),
    '--bind $HOST:$PORT',
    target.includes('(') ? `'${target}'` : target,
  ].join(' ');

const django: ServerKind = {
  looksFor: 'manage.py with the wsgi.py of Django',
  find({ files }) {
    if (!/\bdjango\b/.test(files.get('manage.py') ?? '')) return undefined;
    const file = [...files].find(
      ([path, text]) => /^[\w/-]*\bwsgi\.py$/.test(path) && text.includes('get_wsgi_application'),
    )?.[0];
    if (file === undefined) return undefined;
    const { folder, module } = moduleOf(file, files);
    const line = gunicorn(`${module}:application`, folder);
    return server({ what: 'a Django project', file: 'manage.py' }, line, 'gunicorn');
  },
};

const adk: ServerKind = {
  looksFor: '`root_agent` of ADK in the agent.py of a folder',
  find({ files }) {
    if (!dependsOn(files, /(?<![\w.-])google-adk(?![\w.-])/i)) return undefined;
    const file = [...files].find(
      ([path, text]) => /^(?:src\/)?[^/]+\/agent\.py$/.test(path) && /^root_agent\b/m.test(text),
    )?.[0];
    if (file === undefined) return undefined;
    const folder = file.startsWith('src/') ? 'src' : '.';
    return server({ what: 'agents of ADK', file }, `adk api_server --host $HOST --port $PORT ${folder}`);
  },
};

/** A script that reads the variable PORT is a server, whatever it is made with. */
const script: ServerKind = {
  looksFor: 'a main.py, app.py or server.py that reads PORT',
  find({ files }: Look) {
    const file = ['main.py', 'app.py', 'server.py', 'run.py'].find((one) =>
      READS_PORT.test(files.get(one) ?? ''),
    );
    return file === undefined ? undefined : server({ what: 'a Python server', file }, `python ${file}`);
  },
};

export const pythonKinds: readonly ServerKind[] = [django, app, adk, script];
