import { dirname, join } from 'node:path';
import { procfileLine } from '../../contract/server-start.ts';
import { compiledKinds, goPrograms, programOfLine } from './compiled.ts';
import { builtMainFile, deno, javaScriptKinds, startScript } from './javascript.ts';
import { commandsOf, hasPythonDependencies, packageOfLine, pythonKinds } from './python.ts';
import type { Look, Server, ServerKind } from './server.ts';
import type { SourceFiles } from './source-files.ts';

const procfile: ServerKind = {
  looksFor: 'a `web` line in a Procfile',
  find(look) {
    const { files } = look;
    const line = procfileLine(files.get('Procfile') ?? '', 'web');
    if (line === undefined) return undefined;
    const program = files.has('package.json') ? undefined : programOfLine(line, look);
    if (program !== undefined && 'refused' in program) return program;
    return {
      what: 'a server with a command of its own',
      file: 'Procfile',
      line,
      from: 'the web line of the Procfile',
      packages: program === undefined,
      ...program,
      ...(hasPythonDependencies(files) && { python: packageOfLine(line) }),
    };
  },
};

/** The kinds of servers that are known. The first that finds itself in a source has it. */
const KINDS: readonly ServerKind[] = [
  procfile,
  startScript,
  ...javaScriptKinds,
  ...pythonKinds,
  ...compiledKinds,
  deno,
  builtMainFile,
];

/** What its Procfile has run once before a new version of the server serves. */
export const releaseLine = (files: SourceFiles): string | undefined =>
  procfileLine(files.get('Procfile') ?? '', 'release');

/**
 * What server a project is, undefined when it is none that is known. It depends on the files alone, and on
 * the tools that are there where it is built.
 */
export function detectServer(look: Look): Server | { refused: string } | undefined {
  for (const kind of KINDS) {
    const found = kind.find(look);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The server that a client has a command for. What was found in the source decides how it is built, and is
 * what is started when the client takes the command away.
 */
export function serverOfCommand(command: string, found: ReturnType<typeof detectServer>, look: Look): Server {
  const known = found === undefined || 'refused' in found ? undefined : found;
  const program = known === undefined ? programOfLine(command, look) : undefined;
  const server: Server = known ?? {
    what: 'a server with a command of its own',
    file: 'start_command',
    line: command,
    isGiven: true,
    from: 'start_command',
    packages: true,
    ...(program !== undefined && !('refused' in program) && program.line === command && program),
  };
  const isPython = server.python !== undefined || hasPythonDependencies(look.files);
  return { ...server, command, ...(isPython && { python: { ...server.python, ...packageOfLine(command) } }) };
}

const SET_START = 'set start_command to';

/** Files of a project in a folder of its own. */
const NESTED = /.\/(?:langgraph\.json|Procfile|package\.json|requirements\.txt|pyproject\.toml|go\.mod)$/;
const OF_TESTS = /(?:^|\/)(?:tests?|docs?)\//;

/** The folders below the project's own that hold a project of their own, those that lie higher first. */
export const nestedProjects = (files: SourceFiles): string[] => [
  ...new Set([...files.keys()].filter(isNested).map((path) => dirname(path))),
];

const isNested = (path: string): boolean => NESTED.test(path) && !OF_TESTS.test(path);

type Hint = (look: Look) => string | undefined;

/** What was found instead, and the line to add. The first that applies is said. */
const HINTS: readonly Hint[] = [
  ({ files }) => {
    const [first] = commandsOf(files);
    if (first === undefined) return undefined;
    return `the command '${first}' in pyproject.toml, and whether it is a server only you know: ${SET_START} \`${first}\``;
  },
  ({ files }) => {
    if (!files.has('Dockerfile')) return undefined;
    return `a Dockerfile: this listener builds no images; listeners of the types k8s and ecs do. Here ${SET_START} \`<what its CMD runs>\``;
  },
  ({ files }) => {
    if (!files.has('Procfile')) return undefined;
    return 'a Procfile without a `web` line: add `web: <command>` to it';
  },
  ({ files }) => {
    const python = [...files.keys()].filter((path) => path.endsWith('.py'));
    if (python.length === 0 && !hasPythonDependencies(files)) return undefined;
    const [first = 'no Python file'] = python;
    const more = python.length > 1 ? ` and ${python.length - 1} more` : '';
    return `a Python project (${first}${more}) that defines no web application where one is looked for: ${SET_START} \`uvicorn <module>:<app> --host $HOST --port $PORT\``;
  },
  ({ files, folder }) => {
    const nested = [...files.keys()].find(isNested);
    return nested === undefined
      ? undefined
      : `${nested}, which is not in the folder that is built: set root_directory to ${join(folder, dirname(nested))}`;
  },
  ({ files }) => {
    if (!files.has('package.json')) return undefined;
    return 'a package.json without a start script: add `"start": "node <file>"` to its scripts';
  },
  ({ files }) => {
    if (!files.has('go.mod')) return undefined;
    const programs = goPrograms(files);
    const [first] = programs;
    if (first !== undefined)
      return `a go.mod with ${programs.length} programs (${programs.slice(0, 5).join(', ')}): ${SET_START} \`./${first}\`, or the like for the one that is the server`;
    return `a go.mod without a package main in its folder or in one folder of cmd: set build_command to \`go build -o server ./<folder>\` and start_command to \`./server\``;
  },
  ({ files }) => {
    if (!files.has('Cargo.toml')) return undefined;
    return `a Cargo.toml without one program: set build_command to \`cargo build --release --package <name>\` and start_command to \`target/release/<name>\``;
  },
  ({ files }) => {
    const names = [...new Set([...files.keys()].map((path) => path.slice(0, path.indexOf('/') + 1) || path))];
    const [first] = names;
    if (first === undefined) return `an empty folder: ${SET_START} \`<command>\``;
    const shown = names.slice(0, 5).join(', ');
    return `${shown}${names.length > 5 ? ` and ${names.length - 5} more` : ''}: ${SET_START} \`<command>\``;
  },
];

/** Why nothing of a source can be started: what was looked for, what is there, and the line to add. */
export function nothingToStart(look: Look): string {
  const [found = ''] = HINTS.flatMap((hint) => hint(look) ?? []);
  return `There is nothing to start. Found ${found}. Looked for graphs in langgraph.json, ${KINDS.map((kind) => kind.looksFor).join(', ')}`;
}
