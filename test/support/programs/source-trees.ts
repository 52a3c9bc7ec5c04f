import type { Files } from '../files/write-files.ts';

/**
 * A source, and what becomes of it. `taken`: what the log says first; the other three are its lines on
 * installing, building and starting. `refused`: the whole reason.
 */
export type SourceTree = {
  name: string;
  files: Files;
  /** On a machine that has these besides npm and npx. */
  tools?: string[];
  installCommand?: string;
  buildCommand?: string;
  expected: { taken: string; install: string; build: string; start: string } | { refused: string };
};

const json = (value: object): string => JSON.stringify(value);
const fastapi = 'from fastapi import FastAPI\n\napp = FastAPI(title="x")\n';
const flask = 'from flask import Flask\napp = Flask(__name__)\n';
const venv = 'uv venv --python PYTHON .venv';
const uvicorn = 'uvicorn==0.54.0, unless the project brings uvicorn';
const gunicorn = 'gunicorn==27.0.1, unless the project brings gunicorn';
const sync = 'uv sync --no-dev --inexact --python PYTHON --project . --locked';
const serve = 'uvicorn main:app --host $HOST --port $PORT';
const nodeInstall = 'npm install';
const requirements = 'uv pip install -r requirements.txt';
const fromMain = 'This source is a FastAPI app: main.py says so';
const noBuild = 'nothing';

const LOOKED =
  'graphs in langgraph.json, a `start` script in package.json, a `web` line in a Procfile, next or mastra among its dependencies, hono with a file that calls `serve(…)`, its `main` file, index.js or server.js, deno.json with a `start` task or a main.ts, manage.py with the wsgi.py of Django, an application of FastAPI, Starlette, Flask or FastMCP, of ASGI or WSGI, in main.py, app.py, server.py and the like (also in src or a package), `root_agent` of ADK in the agent.py of a folder, a main.py, app.py or server.py that reads PORT, go.mod with one package main, in its folder or in cmd, Cargo.toml with a src/main.rs';
const nothing = (found: string): string => `There is nothing to start. Found ${found}. Looked for ${LOOKED}`;

/** What was built before other kinds were known. Its plan stays as it was. */
const known: SourceTree[] = [
  {
    name: 'a start script',
    files: { 'package.json': json({ scripts: { start: 'node .' } }) },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a start script with a lockfile and a build script',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .', build: 'tsc' } }),
      'package-lock.json': '{}',
    },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'npm ci',
      build: 'npm run build',
      start: 'node .',
    },
  },
  {
    name: 'a start script that npm has to run',
    files: { 'package.json': json({ scripts: { prestart: 'x', start: 'node .' } }) },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'npm run --silent start',
    },
  },
  {
    name: 'a start script beside a Procfile',
    files: { 'package.json': json({ scripts: { start: 'node .' } }), Procfile: 'web: other' },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a start script beside Python files',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }),
      'main.py': fastapi,
      'requirements.txt': 'fastapi',
    },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: nodeInstall,
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a start script beside a Dockerfile',
    files: { 'package.json': json({ scripts: { start: 'node .' } }), Dockerfile: 'FROM x' },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a start script, a lockfile of bun and no bun',
    files: {
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'node .' } }),
      'bun.lock': '',
    },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: nodeInstall,
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a package.json with a byte order mark',
    files: { 'package.json': `\ufeff${json({ scripts: { start: 'node .' } })}` },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node .',
    },
  },
  {
    name: 'a Procfile alone',
    files: { Procfile: 'release: no\nweb:  ./serve --port $PORT\n' },
    expected: {
      taken: 'This source is a server with a Procfile: Procfile says so',
      install: 'nothing',
      build: 'nothing',
      start: './serve --port $PORT',
    },
  },
  {
    name: 'a Procfile beside a package.json',
    files: {
      Procfile: 'web: node bin/www',
      'package.json': json({ dependencies: { a: '1' }, main: 'index.js', scripts: { build: 'tsc' } }),
      'index.js': '',
    },
    expected: {
      taken: 'This source is a server with a Procfile: Procfile says so',
      install: nodeInstall,
      build: 'npm run build',
      start: 'node bin/www',
    },
  },
  {
    name: 'an agent in JavaScript, beside everything else',
    files: {
      'langgraph.json': json({ graphs: { a: './a.js:graph' } }),
      'a.js': '',
      'package.json': json({ dependencies: { a: '1' }, scripts: { start: 'no' } }),
      Procfile: 'web: no',
      'main.py': fastapi,
    },
    expected: {
      taken: 'langgraph.json describes an agent in JavaScript',
      install: 'npm install, then npm install --no-save --no-package-lock @langchain/langgraph-cli@1.4.5',
      build: 'nothing',
      start: 'the agent server of JavaScript, with langgraph.json',
    },
  },
  {
    name: 'an agent in Python',
    files: {
      'langgraph.json': json({ graphs: { a: './a.py:graph' }, dependencies: ['.'], python_version: '3.12' }),
      'a.py': '',
      'requirements.txt': 'langgraph',
    },
    expected: {
      taken: 'langgraph.json describes an agent in Python',
      install: `${venv}, then ${requirements}, then langgraph-cli[inmem], unless the project brings it`,
      build: 'nothing',
      start: 'the agent server of Python, with langgraph.json',
    },
  },
  {
    name: 'an agent in Python that names a project of uv instead of dependencies',
    files: {
      'langgraph.json': json({
        graphs: { a: './a.py:graph' },
        source: { kind: 'uv', package: 'one' },
        python_version: '3.12',
      }),
      'a.py': '',
      'pyproject.toml': '[project]\nname = "one"\n',
      'uv.lock': '',
    },
    expected: {
      taken: 'langgraph.json describes an agent in Python',
      install: `${venv}, then uv sync --no-dev --inexact --python PYTHON --project . --package one --locked, then langgraph-cli[inmem], unless the project brings it`,
      build: 'nothing',
      start: 'the agent server of Python, with langgraph.json',
    },
  },
  {
    name: 'commands of the client, and a start script',
    files: { 'package.json': json({ scripts: { start: 'node .', build: 'tsc' } }) },
    installCommand: 'make deps',
    buildCommand: 'make',
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'make deps',
      build: 'make',
      start: 'node .',
    },
  },
  {
    name: 'commands of the client alone, which may make something to start',
    files: { Makefile: '' },
    buildCommand: 'make',
    expected: {
      taken:
        'Nothing in this source says how it is started, so that is looked for once its commands have run',
      install: 'nothing',
      build: 'make',
      start: 'not known yet',
    },
  },
];

const node: SourceTree[] = [
  {
    name: 'the main file of package.json',
    files: { 'package.json': json({ main: './src/server.js' }), 'src/server.js': '', 'index.js': '' },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node src/server.js',
    },
  },
  {
    name: 'a main file that the build makes',
    files: { 'package.json': json({ main: 'dist/index.js', scripts: { build: 'tsc' } }) },
    expected: {
      taken: 'This source is a Node.js server: package.json says so',
      install: 'nothing',
      build: 'npm run build',
      start: 'node dist/index.js',
    },
  },
  {
    name: 'an index.js',
    files: { 'package.json': json({ main: 'gone.js' }), 'index.js': '' },
    expected: {
      taken: 'This source is a Node.js server: index.js says so',
      install: 'nothing',
      build: 'nothing',
      start: 'node index.js',
    },
  },
  {
    name: 'a main file, with bun and its lockfile',
    tools: ['bun'],
    files: { 'package.json': json({ dependencies: { a: '1' } }), 'index.ts': '', 'bun.lock': '' },
    expected: {
      taken: 'This source is a Node.js server: index.ts says so',
      install: 'bun install --frozen-lockfile',
      build: 'nothing',
      start: 'bun index.ts',
    },
  },
  {
    name: 'Next.js without scripts',
    files: { 'package.json': json({ dependencies: { next: '16', react: '19' } }), 'pages/index.js': '' },
    expected: {
      taken: 'This source is a Next.js app: package.json says so',
      install: nodeInstall,
      build: 'npx next build',
      start: 'next start --hostname $HOST --port $PORT',
    },
  },
  {
    name: 'Mastra with a build script',
    files: { 'package.json': json({ devDependencies: { mastra: '1' }, scripts: { build: 'mastra build' } }) },
    expected: {
      taken: 'This source is a Mastra app: package.json says so',
      install: nodeInstall,
      build: 'npm run build',
      start: 'mastra start',
    },
  },
  {
    name: 'Hono on Node.js',
    files: {
      'package.json': json({ dependencies: { hono: '4', '@hono/node-server': '1' } }),
      'src/index.ts': 'import { serve } from "@hono/node-server";\nserve({ fetch: app.fetch, port });\n',
    },
    expected: {
      taken: 'This source is a Hono server: src/index.ts says so',
      install: nodeInstall,
      build: 'nothing',
      start: 'node src/index.ts',
    },
  },
  {
    name: 'Deno with a start task',
    tools: ['deno'],
    files: { 'deno.json': json({ tasks: { start: 'deno run main.ts' } }) },
    expected: {
      taken: 'This source is a Deno server: deno.json says so',
      install: 'nothing',
      build: 'nothing',
      start: 'deno task start',
    },
  },
  {
    name: 'Deno where there is none',
    files: { 'deno.json': '{}', 'main.ts': '' },
    expected: { refused: 'deno.json asks for deno, which is not installed where this is built' },
  },
];

const python: SourceTree[] = [
  {
    name: 'FastAPI with requirements',
    files: { 'main.py': fastapi, 'requirements.txt': 'fastapi' },
    expected: {
      taken: fromMain,
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with a lockfile of uv',
    files: { 'main.py': fastapi, 'pyproject.toml': '[project]\nname = "x"\n', 'uv.lock': '' },
    expected: {
      taken: fromMain,
      install: `${venv}, then ${sync}, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with a lockfile of poetry, and commands of its own',
    files: {
      'main.py': fastapi,
      'pyproject.toml': '[tool.poetry]\nname = "x"\n[tool.poetry.scripts]\nx = "x:main"\n',
      'poetry.lock': '',
    },
    expected: {
      taken: fromMain,
      install: `${venv}, then uv tool run --python PYTHON --with poetry-plugin-export==1.10.1 poetry@2.5.1 export --without-hashes > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then uv pip install --no-deps -e ., then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with a lockfile of pdm',
    files: { 'main.py': fastapi, 'pyproject.toml': '[project]\nname = "x"\n', 'pdm.lock': '' },
    expected: {
      taken: fromMain,
      install: `${venv}, then uv tool run --python PYTHON pdm@2.29.4 export --prod --without-hashes --format requirements > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with a lockfile of pipenv',
    files: { 'main.py': fastapi, Pipfile: '[packages]\nfastapi = "*"\n', 'Pipfile.lock': '{}' },
    expected: {
      taken: fromMain,
      install: `${venv}, then uv tool run --python PYTHON pipenv@2026.10.3 requirements > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with a Pipfile that is not locked',
    files: {
      'main.py': fastapi,
      Pipfile:
        '[packages]\nfastapi = {extras = ["standard"], version = ">=0.100"}\nhttpx = "*"\n\n[dev-packages]\npytest = "*"\n',
    },
    expected: {
      taken: fromMain,
      install: `${venv}, then uv pip install 'fastapi[standard]>=0.100' httpx, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'FastAPI with dependencies in pyproject.toml and nothing to build a package with',
    files: { 'app/main.py': fastapi, 'app/__init__.py': '', 'pyproject.toml': '[project]\nname = "x"\n' },
    expected: {
      taken: 'This source is a FastAPI app: app/main.py says so',
      install: `${venv}, then uv pip install -r pyproject.toml, then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn app.main:app --host $HOST --port $PORT',
    },
  },
  {
    name: 'FastAPI in a package below src',
    files: {
      'src/agent/server.py': 'import fastapi\napi: fastapi.FastAPI = fastapi.FastAPI()\n',
      'pyproject.toml': '[project]\nname = "agent"\n[build-system]\nbuild-backend = "hatchling.build"\n',
      'tests/main.py': fastapi,
    },
    expected: {
      taken: 'This source is a FastAPI app: src/agent/server.py says so',
      install: `${venv}, then uv pip install -e ., then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn --app-dir src agent.server:api --host $HOST --port $PORT',
    },
  },
  {
    name: 'FastAPI that a function makes',
    files: { 'app.py': 'def create_app() -> FastAPI:\n    return FastAPI()\n', 'requirements.txt': '' },
    expected: {
      taken: 'This source is a FastAPI app: app.py says so',
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn --factory app:create_app --host $HOST --port $PORT',
    },
  },
  {
    name: 'Starlette, and no file with dependencies',
    files: { 'server.py': 'app = Starlette(routes=[])\n' },
    expected: {
      taken: 'This source is an ASGI app: server.py says so',
      install: `${venv}, then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn server:app --host $HOST --port $PORT',
    },
  },
  {
    name: 'a plain ASGI function',
    files: { 'main.py': 'async def app(scope, receive, send):\n    pass\n', 'requirements.txt': '' },
    expected: {
      taken: 'This source is an ASGI app: main.py says so',
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'Flask',
    files: { 'app.py': flask, 'requirements.txt': 'flask' },
    expected: {
      taken: 'This source is a Flask app: app.py says so',
      install: `${venv}, then ${requirements}, then ${gunicorn}`,
      build: noBuild,
      start: 'gunicorn --bind $HOST:$PORT app:app',
    },
  },
  {
    name: 'Flask that a function of a package makes',
    files: {
      'shop/__init__.py': 'def create_app(config=None):\n    app = Flask(__name__)\n    return app\n',
      'setup.py': '',
    },
    expected: {
      taken: 'This source is a Flask app: shop/__init__.py says so',
      install: `${venv}, then uv pip install -e ., then ${gunicorn}`,
      build: noBuild,
      start: "gunicorn --bind $HOST:$PORT 'shop:create_app()'",
    },
  },
  {
    name: 'Django',
    files: {
      'manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site.settings")\nimport django\n',
      'mysite/wsgi.py': 'application = get_wsgi_application()\n',
      'mysite/asgi.py': 'application = get_asgi_application()\n',
      'requirements.txt': 'django',
    },
    expected: {
      taken: 'This source is a Django project: manage.py says so',
      install: `${venv}, then ${requirements}, then ${gunicorn}`,
      build: noBuild,
      start: 'gunicorn --bind $HOST:$PORT mysite.wsgi:application',
    },
  },
  {
    name: 'an MCP server of the SDK',
    files: {
      'server.py': 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\n',
      'requirements.txt': 'mcp',
    },
    expected: {
      taken: 'This source is an MCP server: server.py says so',
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn --factory server:mcp.streamable_http_app --host $HOST --port $PORT',
    },
  },
  {
    name: 'an MCP server of fastmcp',
    files: { 'main.py': 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n', 'requirements.txt': 'fastmcp' },
    expected: {
      taken: 'This source is an MCP server: main.py says so',
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: 'uvicorn --factory main:mcp.http_app --host $HOST --port $PORT',
    },
  },
  {
    name: 'agents of ADK',
    files: { 'weather/agent.py': 'root_agent = Agent(name="x")\n', 'requirements.txt': 'google-adk==1.0\n' },
    expected: {
      taken: 'This source is agents of ADK: weather/agent.py says so',
      install: `${venv}, then ${requirements}`,
      build: noBuild,
      start: 'adk api_server --host $HOST --port $PORT .',
    },
  },
  {
    name: 'a script that reads PORT',
    files: { 'main.py': 'run(port=int(os.environ.get("PORT", "8000")))\n', 'requirements.txt': 'aiohttp' },
    expected: {
      taken: 'This source is a Python server: main.py says so',
      install: `${venv}, then ${requirements}`,
      build: noBuild,
      start: 'python main.py',
    },
  },
  {
    name: 'a Procfile beside requirements, with a server that they do not name',
    files: { Procfile: 'web: gunicorn shop.wsgi --bind $HOST:$PORT', 'requirements.txt': 'django' },
    expected: {
      taken: 'This source is a server with a Procfile: Procfile says so',
      install: `${venv}, then ${requirements}, then ${gunicorn}`,
      build: 'nothing',
      start: 'gunicorn shop.wsgi --bind $HOST:$PORT',
    },
  },
  {
    name: 'a Procfile beside requirements and a package.json',
    files: {
      Procfile: 'web: python app.py',
      'requirements.txt': 'x',
      'package.json': json({ dependencies: { a: '1' }, scripts: { build: 'vite build' } }),
    },
    expected: {
      taken: 'This source is a server with a Procfile: Procfile says so',
      install: `npm install, then ${venv}, then ${requirements}`,
      build: 'npm run build',
      start: 'python app.py',
    },
  },
  {
    name: 'a Python server with an install command of the client',
    files: { 'main.py': fastapi, 'requirements.txt': '' },
    installCommand: 'pip install -r other.txt',
    expected: {
      taken: fromMain,
      install: `uv venv --seed --python PYTHON .venv, then pip install -r other.txt, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
  {
    name: 'a file that begins with a byte order mark',
    files: { 'main.py': `\ufeffapp = FastAPI()\n`, 'requirements.txt': '' },
    expected: {
      taken: fromMain,
      install: `${venv}, then ${requirements}, then ${uvicorn}`,
      build: noBuild,
      start: serve,
    },
  },
];

const compiled: SourceTree[] = [
  {
    name: 'Go at the root',
    tools: ['go'],
    files: { 'go.mod': 'module x\n', 'main.go': 'package main\n', 'main_test.go': 'package main\n' },
    expected: {
      taken: 'This source is a Go server: go.mod says so',
      install: 'nothing',
      build: 'go build -o slipway-server .',
      start: './slipway-server',
    },
  },
  {
    name: 'Go in a folder of cmd',
    tools: ['go'],
    files: { 'go.mod': 'module x\n', 'cmd/api/main.go': '// x\npackage main\n', 'lib.go': 'package x\n' },
    expected: {
      taken: 'This source is a Go server: go.mod says so',
      install: 'nothing',
      build: 'go build -o slipway-server ./cmd/api',
      start: './slipway-server',
    },
  },
  {
    name: 'Go where there is none',
    files: { 'go.mod': 'module x\n', 'main.go': 'package main\n' },
    expected: { refused: 'go.mod asks for go, which is not installed where this is built' },
  },
  {
    name: 'Rust',
    tools: ['cargo'],
    files: { 'Cargo.toml': '[package]\nname = "api"\nversion = "0.1.0"\n', 'src/main.rs': 'fn main() {}\n' },
    expected: {
      taken: 'This source is a Rust server: Cargo.toml says so',
      install: 'nothing',
      build: 'cargo build --release --bin api && mv target/release/api slipway-server && rm -rf target',
      start: './slipway-server',
    },
  },
];

const refused: SourceTree[] = [
  {
    name: 'a Dockerfile',
    files: { Dockerfile: 'FROM x', 'main.c': '' },
    expected: {
      refused: nothing(
        'a Dockerfile: this listener builds no images; listeners of the types k8s and ecs do. Here add a Procfile with the line `web: <what its CMD runs>`',
      ),
    },
  },
  {
    name: 'a command that may be a server',
    files: {
      'src/crew/main.py': 'def run(): ...\n',
      'pyproject.toml': '[project]\nname = "crew"\n[project.scripts]\ncrew-run = "crew.main:run"\n',
    },
    expected: {
      refused: nothing(
        "the command 'crew-run' in pyproject.toml, and whether it is a server only you know: add a Procfile with the line `web: crew-run`",
      ),
    },
  },
  {
    name: 'Python files without an application',
    files: { 'main.py': 'print(1)\n', 'lib.py': '', 'requirements.txt': '' },
    expected: {
      refused: nothing(
        'Python files (lib.py, and 1 more) without a web application in one of the places above: add a Procfile with the line `web: uvicorn <module>:<app> --host $HOST --port $PORT`',
      ),
    },
  },
  {
    name: 'a package.json without anything to start',
    files: { 'package.json': json({ scripts: { build: 'tsc' } }), 'README.md': '' },
    expected: {
      refused: nothing('a package.json without a start script: add `"start": "node <file>"` to its scripts'),
    },
  },
  {
    name: 'a Procfile without web',
    files: { Procfile: 'worker: x\n', 'a.py': '' },
    expected: { refused: nothing('a Procfile without a `web` line: add `web: <command>` to it') },
  },
  {
    name: 'Go with several programs',
    tools: ['go'],
    files: {
      'go.mod': 'module x\n',
      'cmd/a/main.go': 'package main\n',
      'cmd/b/main.go': 'package main\n',
    },
    expected: {
      refused: nothing(
        'a go.mod without a package main in its folder or in one folder of cmd: set build_command to `go build -o server ./<folder>` and add a Procfile with the line `web: ./server`',
      ),
    },
  },
  {
    name: 'files of no kind',
    files: { 'README.md': '', 'docs/a.md': '', 'docs/b.md': '' },
    expected: { refused: nothing('README.md, docs/: add a Procfile with the line `web: <command>`') },
  },
  {
    name: 'an empty folder',
    files: {},
    expected: { refused: nothing('an empty folder: add a Procfile with the line `web: <command>`') },
  },
  {
    name: 'an application in a file that leads out of the source',
    files: { 'main.py': { link: '/etc/passwd' }, 'package.json': '{}' },
    expected: {
      refused: nothing('a package.json without a start script: add `"start": "node <file>"` to its scripts'),
    },
  },
];

export const sourceTrees: readonly SourceTree[] = [...known, ...node, ...python, ...compiled, ...refused];
