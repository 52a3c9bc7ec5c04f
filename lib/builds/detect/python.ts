import { dirname, join } from 'node:path';
import type { Look, Server, ServerKind } from './server.ts';
import type { SourceFiles } from './source-files.ts';
import { tomlTables } from './toml.ts';

/** Files that say what a Python project depends on. */
const DEPENDENCY_FILES =
  /^(?:uv\.lock|poetry\.lock|pdm\.lock|Pipfile(?:\.lock)?|requirements[^/]*\.txt|requirements\/[^/]+\.txt|setup\.py)$/;

/** Whether the project says what Python packages it depends on; a pyproject.toml may hold settings of tools alone. */
export function hasPythonDependencies(files: SourceFiles): boolean {
  if ([...files.keys()].some((path) => DEPENDENCY_FILES.test(path))) return true;
  const tables = tomlTables(files.get('pyproject.toml') ?? '');
  return tables.has('project') || tables.has('tool.poetry') || tables.has('build-system');
}

/** The names of the commands that the project declares, which are there once it is installed. */
export function commandsOf(files: SourceFiles): string[] {
  const tables = tomlTables(files.get('pyproject.toml') ?? '');
  return ['project.scripts', 'tool.poetry.scripts'].flatMap((table) => [
    ...(tables.get(table)?.keys() ?? []),
  ]);
}

/** Programs that serve an application, and that projects often leave to their host. */
const SERVERS = /^(?:uvicorn|gunicorn|hypercorn|daphne|waitress)(?=$|-serve$)/;

/** The package that a line of shell begins with a program of, such as `gunicorn`. */
export function packageOfLine(line: string): { adds?: string } {
  const [adds] = SERVERS.exec(line.split(/\s/, 1)[0] ?? '') ?? [];
  return adds === undefined ? {} : { adds };
}

/** Whether one of the files that name dependencies names this package. */
function dependsOn(files: SourceFiles, name: string): boolean {
  const pattern = new RegExp(`(?<![\\w.-])${name}(?![\\w.-])`, 'i');
  const named = [...files].filter(([path]) => DEPENDENCY_FILES.test(path) || path === 'pyproject.toml');
  return named.some(([, text]) => pattern.test(text));
}

/** A script that reads the variable PORT. */
const READS_PORT = /(?:environ(?:\.get)?|getenv)\s*[[(]\s*["']PORT["']/;

/** An application: the file, its module and what to import of it, such as `main:app`. */
type Found = { what: string; file: string; serve: Serve; name: string; object: string };

/** How an application is served: by which program, and what else its line says. */
type Serve = 'asgi' | 'asgi-factory' | 'asgi-function' | 'wsgi';

type Pattern = {
  what: string;
  /** The first group is the name of the object. */
  text: RegExp;
  serve: Serve;
  object?: (name: string, text: string) => string;
};

const assigned = (call: string): RegExp =>
  new RegExp(`^(\\w+)(?:\\s*:\\s*[\\w.\\[\\]"']+)?\\s*=\\s*(?:\\w+\\.)*(?:${call})\\s*\\(`, 'm');

/** What an object is whose module makes it like this, at the beginning of a line. */
const PATTERNS: readonly Pattern[] = [
  { what: 'a FastAPI app', text: assigned('FastAPI'), serve: 'asgi' },
  { what: 'an ADK app', text: assigned('get_fast_api_app'), serve: 'asgi' },
  { what: 'an ASGI app', text: assigned('Starlette|Litestar|Quart|Sanic'), serve: 'asgi' },
  {
    what: 'an MCP server',
    text: assigned('FastMCP|MCPServer'),
    serve: 'asgi-factory',
    // The package `fastmcp`, and the one of the SDK, call it by different names.
    object: (name, text) =>
      /^\s*(?:from|import) fastmcp\b/m.test(text) ? `${name}.http_app` : `${name}.streamable_http_app`,
  },
  { what: 'a Flask app', text: assigned('Flask'), serve: 'wsgi' },
  {
    what: 'a FastAPI app',
    text: /^def (create_app|get_app|make_app)\(\)\s*->\s*(?:\w+\.)?FastAPI\b/m,
    serve: 'asgi-factory',
  },
  {
    what: 'a Flask app',
    text: /^def (create_app|make_app)\((?=[^]*\bFlask\s*\()/m,
    serve: 'wsgi',
    object: (name) => `${name}()`,
  },
  {
    what: 'an ASGI app',
    text: /^async def (\w+)\(\s*scope\b[^)]*receive\b[^)]*send\b/m,
    serve: 'asgi-function',
  },
  { what: 'an ASGI app', text: /^(application|app)\s*=\s*get_asgi_application\(/m, serve: 'asgi' },
  { what: 'a WSGI app', text: /^def (\w+)\(\s*environ\b[^)]*start_response\b/m, serve: 'wsgi' },
];

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

/**
 * The folder that is put on the search path, and the module's name from there. A file in `src` may take `src`
 * for its package.
 */
function moduleOf(path: string, text: string): { folder: string; module: string } {
  const isPackage = /^src\/[^/]+$/.test(path) && /^\s*from \./m.test(text);
  const namesIt = /^\s*(?:from|import) src\b/m.test(text);
  const folder = path.startsWith('src/') && !isPackage && !namesIt ? 'src' : '.';
  const way = path
    .slice(folder === '.' ? 0 : 'src/'.length)
    .replace(/\.py$/, '')
    .replace(/\/__init__$/, '');
  return { folder, module: way.replaceAll('/', '.') };
}

/** The file of dependencies in a folder above a file, where the project's own folder has none. */
function dependenciesBeside(files: SourceFiles, path: string): string | undefined {
  if (hasPythonDependencies(files)) return undefined;
  const parts = path.split('/').slice(0, -1);
  const folders = parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
  return folders
    .flatMap((folder) => ['requirements.txt', 'pyproject.toml', 'Pipfile'].map((name) => `${folder}/${name}`))
    .find((name) => files.has(name));
}

function findApp(files: SourceFiles): Found | undefined {
  for (const [file, text] of candidates(files))
    for (const { what, text: pattern, serve, object } of PATTERNS) {
      const name = pattern.exec(text)?.[1];
      if (name !== undefined) return { what, file, serve, name, object: object?.(name, text) ?? name };
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
    const { folder, module } = moduleOf(found.file, text);
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

/** The call with which a module runs its application also when it is only imported. The import never ends then. */
function runOnImport(text: string, name: string): string | undefined {
  const pattern = new RegExp(`^(?:(?:asyncio|anyio)\\.run\\(\\s*)?(?:${name}|uvicorn)\\.run\\w*\\(`, 'm');
  return pattern.exec(text)?.[0];
}

const server = ({ what, file }: Pick<Found, 'what' | 'file'>, line: string, adds?: string): Server => ({
  what,
  file,
  line,
  from: `\`${line}\``,
  python: adds === undefined ? {} : { adds },
});

const uvicorn = (target: string, folder: string, serve: Serve): string =>
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
    const { folder, module } = moduleOf(file, '');
    const line = gunicorn(`${module}:application`, folder);
    return server({ what: 'a Django project', file: 'manage.py' }, line, 'gunicorn');
  },
};

const adk: ServerKind = {
  looksFor: '`root_agent` of ADK in the agent.py of a folder',
  find({ files }) {
    if (!dependsOn(files, 'google-adk')) return undefined;
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
