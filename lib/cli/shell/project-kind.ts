import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { objectIn } from './profiles.ts';

/** What a project is taken for, as builds do by more rules than these. */
export type Kind = {
  /** Undefined: nothing that is known here. */
  what: string | undefined;
  isPython: boolean;
  /** Graphs that the project's `langgraph.json` should name. */
  graphs?: Record<string, string>;
  /** What a build would miss. */
  lacks?: string;
};

/** Longer files are generated. */
const SOURCE_BYTES_MAX = 512 * 1024;
const DEPENDENCIES = ['requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py'];

/** Looks at the folder itself and its `src`, at nothing that is run. */
export function kindOf(folder: string): Kind {
  const sources = ['.', 'src'].flatMap((below) => sourcesIn(folder, below));
  const isPython = sources.some(([path]) => path.endsWith('.py')) || hasOne(folder, DEPENDENCIES);
  const graphs = Object.fromEntries(sources.flatMap(([path, text]) => graphsIn(path, text)));
  const lacks =
    isPython && !hasOne(folder, DEPENDENCIES)
      ? { lacks: 'requirements.txt is missing: builds install what it names.' }
      : {};
  if (existsSync(join(folder, 'langgraph.json')))
    return { what: 'an agent of LangGraph', isPython, ...lacks };
  if (Object.keys(graphs).length > 0) return { what: 'an agent of LangGraph', isPython, graphs, ...lacks };
  return { what: serverIn(folder, sources), isPython, ...lacks };
}

const hasOne = (folder: string, names: readonly string[]): boolean =>
  names.some((name) => existsSync(join(folder, name)));

type Source = [path: string, text: string];

function sourcesIn(folder: string, below: string): Source[] {
  const at = join(folder, below);
  if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(at, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:py|[cm]?[jt]s)$/.test(entry.name))
    .filter(({ name }) => statSync(join(at, name)).size <= SOURCE_BYTES_MAX)
    .map(({ name }): Source => [`./${join(below, name)}`, readFileSync(join(at, name), 'utf8')]);
}

/** What makes a graph: the last call of a builder, or a function that makes the whole of it. */
const MAKES_GRAPH = /\.compile\(|\bcreate_?(?:react_?)?agent\(/i;

/** The graphs that a module exports, by the names that `langgraph.json` gives them. */
function graphsIn(path: string, text: string): Source[] {
  if (!/lang(?:graph|chain)/.test(text)) return [];
  // A statement goes on in lines that are indented or close a bracket.
  const statements = text.split(/\n(?=[^\s)\]}.])/);
  const start = path.endsWith('.py') ? /^(\w+) *=/ : /^export const (\w+)\b/;
  return statements
    .filter((each) => MAKES_GRAPH.test(each))
    .flatMap((each) => start.exec(each)?.[1] ?? [])
    .map((name): Source => [name === 'graph' ? 'agent' : name, `${path}:${name}`]);
}

/** Calls whose result builds serve, of those that detectors know. A test holds them against each other. */
const APPLICATIONS =
  /^(?:FastAPI|Starlette|Litestar|Quart|Sanic|Flask|FastMCP|MCPServer|(?:streamable_)?http_app|get_fast_api_app)$/;

function serverIn(folder: string, sources: readonly Source[]): string | undefined {
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  if (/^web:/m.test(read('Procfile'))) return 'a server with a command of its own';
  const scripts: unknown = Reflect.get(Object(objectIn(read('package.json'))), 'scripts');
  if (typeof Reflect.get(Object(scripts), 'start') === 'string') return 'a server with a start script';
  const calls = sources.flatMap(([path, text]) =>
    (path.endsWith('.py') ? text.split('\n') : []).flatMap(calledIn),
  );
  return calls.some((call) => APPLICATIONS.test(call)) ? 'a server in Python' : undefined;
}

/** What a line at the left margin assigns: the name of the function that makes it. */
const calledIn = (line: string): string[] =>
  /^\w+(?:: *[\w.]+)? *= *([\w.]+)\(/.exec(line)?.[1]?.split('.').slice(-1) ?? [];
