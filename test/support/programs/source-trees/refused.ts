import { FASTAPI, json, type SourceTree } from './tree.ts';

const LOOKED =
  'graphs in langgraph.json, a `web` line in a Procfile, a `start` script in package.json, next or mastra among its dependencies, hono with a file that calls `serve(…)`, its `main` file, index.js or server.js, manage.py with the wsgi.py of Django, an application of FastAPI, Starlette, Flask or FastMCP, of ASGI or WSGI, in main.py, app.py, server.py and the like (also in src or a package), `root_agent` of ADK in the agent.py of a folder, a main.py, app.py or server.py that reads PORT, go.mod with one package main, in its folder or in cmd, Cargo.toml with a src/main.rs, deno.json with a `start` task or a main.ts, a `main` file that its build script makes';
const nothing = (found: string): SourceTree['expected'] => ({
  refused: `There is nothing to start. Found ${found}. Looked for ${LOOKED}`,
});

export const refusedTrees: readonly SourceTree[] = [
  {
    name: 'a Dockerfile',
    files: { Dockerfile: 'FROM x', 'main.c': '' },
    expected: nothing(
      'a Dockerfile: this listener builds no images; listeners of the types k8s and ecs do. Here set start_command to `<what its CMD runs>`',
    ),
  },
  {
    name: 'a command that may be a server',
    files: {
      'src/crew/main.py': 'def run(): ...\n',
      'pyproject.toml': '[project]\nname = "crew"\n[project.scripts]\ncrew-run = "crew.main:run"\n',
    },
    expected: nothing(
      "the command 'crew-run' in pyproject.toml, and whether it is a server only you know: set start_command to `crew-run`",
    ),
  },
  {
    name: 'Python files without an application',
    files: { 'main.py': 'print(1)\n', 'lib.py': '', 'requirements.txt': '' },
    expected: nothing(
      'a Python project (lib.py and 1 more) that defines no web application where one is looked for: set start_command to `uvicorn <module>:<app> --host $HOST --port $PORT`',
    ),
  },
  {
    name: 'FastAPI in a folder that has its dependencies',
    files: { 'backend/app/main.py': FASTAPI, 'backend/requirements.txt': 'fastapi' },
    expected: {
      refused:
        'backend/app/main.py defines a FastAPI app, and its dependencies are in backend/requirements.txt, which is not in the folder that is built: set root_directory to backend',
    },
  },
  {
    name: 'an MCP server that always runs itself, wherever it listens',
    files: { 'server.py': 'mcp = MCPServer("x")\nmcp.run()\n', 'requirements.txt': 'mcp' },
    expected: {
      refused:
        'server.py defines an MCP server and runs it (`mcp.run(…)`) where no PORT is read, also when it is only imported: put that below a line `if __name__ == "__main__":`',
    },
  },
  {
    name: 'a workspace, and a server in one of its folders',
    files: {
      'package.json': json({ workspaces: ['apps/*'] }),
      'apps/api/package.json': json({ main: 'a.js' }),
    },
    expected: nothing(
      'apps/api/package.json, which is not in the folder that is built: set root_directory to apps/api',
    ),
  },
  {
    name: 'a package.json without anything to start',
    files: { 'package.json': json({ scripts: { build: 'tsc' } }), 'README.md': '' },
    expected: nothing('a package.json without a start script: add `"start": "node <file>"` to its scripts'),
  },
  {
    name: 'a Procfile without web',
    files: { Procfile: 'worker: x\n', 'a.py': '' },
    expected: nothing('a Procfile without a `web` line: add `web: <command>` to it'),
  },
  {
    name: 'Go with several programs',
    tools: ['go'],
    files: {
      'go.mod': 'module x\n',
      'cmd/a/main.go': 'package main\n',
      'cmd/b/main.go': 'package main\n',
    },
    expected: nothing(
      'a go.mod with 2 programs (a, b): set start_command to `./a`, or the like for the one that is the server',
    ),
  },
  {
    name: 'FastAPI in a folder that has its dependencies, below those for development',
    files: {
      'app/main.py': FASTAPI,
      'app/requirements.txt': 'fastapi',
      'requirements-dev.txt': 'pytest',
    },
    expected: {
      refused:
        'app/main.py defines a FastAPI app, and its dependencies are in app/requirements.txt, which is not in the folder that is built: set root_directory to app',
    },
  },
  {
    name: 'FastAPI in a member of a uv workspace',
    files: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["backend"]\n',
      'uv.lock': '',
      'backend/pyproject.toml': '[project]\nname = "app"\n',
      'backend/app/main.py': FASTAPI,
    },
    expected: {
      refused:
        'backend/app/main.py defines a FastAPI app, and its dependencies are in backend/pyproject.toml, which is not in the folder that is built: set root_directory to backend',
    },
  },
  {
    name: 'files of no kind',
    files: { 'README.md': '', 'docs/a.txt': '', 'docs/b.txt': '' },
    expected: nothing('README.md, docs/: set start_command to `<command>`'),
  },
  {
    name: 'an empty folder',
    files: {},
    expected: nothing('an empty folder: set start_command to `<command>`'),
  },
  {
    name: 'an application in a file that leads out of the source',
    files: { 'main.py': { link: '/etc/passwd' }, 'package.json': '{}' },
    expected: nothing('a package.json without a start script: add `"start": "node <file>"` to its scripts'),
  },
  {
    name: 'a pyproject.toml that is not valid',
    files: { 'main.py': '', 'pyproject.toml': '[project]\nname = x\n' },
    expected: { refused: 'pyproject.toml, line 2, column 8: Invalid TOML document: invalid value' },
  },
];
