/** An application: the file, its name in there, and what to import of it, such as `app` or `mcp.http_app`. */
export type Application = { what: string; file: string; serve: Serve; name: string; object: string };

/** How an application is served: by which program, and what else its line says. */
type Serve = 'asgi' | 'asgi-factory' | 'asgi-function' | 'wsgi';

type Lines = readonly string[];

type Definition = {
  what: string;
  /** The name of the object, where lines of a module define one. */
  nameIn: (lines: Lines) => string | undefined;
  serve: Serve;
  object?: (name: string, lines: Lines) => string;
};

/** What a line at the left margin assigns a call to, such as `app: FastAPI = fastapi.FastAPI(`. */
function assignmentIn(line: string): { name: string; call: string } | undefined {
  const at = line.indexOf('=');
  const name = /^\w+/.exec(line)?.[0];
  if (at === -1 || name === undefined || at < name.length) return undefined;
  const annotation = line.slice(name.length, at).trim();
  const value = line.slice(at + 1).trimStart();
  const called = /^[\w.]+/.exec(value)?.[0] ?? '';
  const isCall = value.slice(called.length).trimStart().startsWith('(');
  if (!isCall || (annotation !== '' && !annotation.startsWith(':'))) return undefined;
  return { name, call: called.slice(called.lastIndexOf('.') + 1) };
}

const assigned =
  (...calls: string[]) =>
  (lines: Lines): string | undefined => {
    for (const line of lines) {
      const found = assignmentIn(line);
      if (found !== undefined && calls.includes(found.call)) return found.name;
    }
    return undefined;
  };

/** The head of a function is no longer than this. */
const HEAD_LINES_MAX = 20;
const HEAD_CHARACTERS_MAX = 2_000;

/** A function whose parameters are called so, the first of them first. */
const definedWith =
  (start: RegExp, [first = '', ...others]: string[]) =>
  (lines: Lines): string | undefined => {
    for (const [at, line] of lines.entries()) {
      const found = start.exec(line);
      if (found === null) continue;
      const rest = [line.slice(found[0].length), ...lines.slice(at + 1, at + HEAD_LINES_MAX)];
      const [parameters = ''] = rest.join('\n').slice(0, HEAD_CHARACTERS_MAX).split(')', 1);
      const words = parameters.trimStart().split(/\W/);
      if (words[0] === first && others.every((one) => words.includes(one))) return found[1];
    }
    return undefined;
  };

/** `def create_app() -> FastAPI`. */
function fastApiFactory(lines: Lines): string | undefined {
  for (const line of lines) {
    const found = /^def (create_app|get_app|make_app)\(\)/.exec(line);
    if (found === null) continue;
    const rest = line.slice(found[0].length).trimStart();
    if (rest.startsWith('->') && /^(?:\w+\.)?FastAPI\b/.test(rest.slice(2).trimStart())) return found[1];
  }
  return undefined;
}

/** `def create_app(` in a module that makes a Flask further down. */
function flaskFactory(lines: Lines): string | undefined {
  const definition = /^def (create_app|make_app)\(/;
  const at = lines.findIndex((line) => definition.test(line));
  const makes = at !== -1 && lines.slice(at).some((line) => /\bFlask\s*\(/.test(line));
  return makes ? definition.exec(lines[at] ?? '')?.[1] : undefined;
}

/** What an object is whose module makes it like this, at the beginning of a line. */
const DEFINITIONS: readonly Definition[] = [
  { what: 'a FastAPI app', nameIn: assigned('FastAPI'), serve: 'asgi' },
  { what: 'an ADK app', nameIn: assigned('get_fast_api_app'), serve: 'asgi' },
  { what: 'an ASGI app', nameIn: assigned('Starlette', 'Litestar', 'Quart', 'Sanic'), serve: 'asgi' },
  // Made of the server, with what the project wants of it.
  { what: 'an MCP server', nameIn: assigned('streamable_http_app', 'http_app'), serve: 'asgi' },
  {
    what: 'an MCP server',
    nameIn: assigned('FastMCP', 'MCPServer'),
    serve: 'asgi-factory',
    // The package `fastmcp`, and the one of the SDK, call it by different names.
    object: (name, lines) =>
      imports(lines, /^(?:from|import) fastmcp\b/) ? `${name}.http_app` : `${name}.streamable_http_app`,
  },
  { what: 'a Flask app', nameIn: assigned('Flask'), serve: 'wsgi' },
  { what: 'a FastAPI app', nameIn: fastApiFactory, serve: 'asgi-factory' },
  { what: 'a Flask app', nameIn: flaskFactory, serve: 'wsgi', object: (name) => `${name}()` },
  {
    what: 'an ASGI app',
    nameIn: definedWith(/^async def (\w+)\(/, ['scope', 'receive', 'send']),
    serve: 'asgi-function',
  },
  { what: 'an ASGI app', nameIn: assigned('get_asgi_application'), serve: 'asgi' },
  {
    what: 'a WSGI app',
    nameIn: definedWith(/^def (\w+)\(/, ['environ', 'start_response']),
    serve: 'wsgi',
  },
];

/** The application that a module defines: of several kinds the one that is looked for first. */
export function applicationIn(file: string, text: string): Application | undefined {
  const lines = text.split('\n');
  for (const { what, nameIn, serve, object } of DEFINITIONS) {
    const name = nameIn(lines);
    if (name !== undefined) return { what, file, serve, name, object: object?.(name, lines) ?? name };
  }
  return undefined;
}

/** Whether a line imports like this, wherever it is indented to. */
export const imports = (lines: Lines, statement: RegExp): boolean =>
  lines.some((line) => statement.test(line.trimStart()));

/** The call with which a module runs its application also when it is only imported. The import never ends then. */
export function runOnImport(text: string, name: string): string | undefined {
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const [loop = ''] = /^(?:asyncio|anyio)\.run\(/.exec(line) ?? [];
    const rest = line.slice(loop.length).trim();
    const call = loop !== '' && rest === '' ? (lines[at + 1] ?? '').trim() : rest;
    const found = /^(\w+)\.run\w*\(/.exec(loop === '' ? line : call);
    if (found !== null && (found[1] === name || found[1] === 'uvicorn')) return `${loop}${found[0]}`;
  }
  return undefined;
}
