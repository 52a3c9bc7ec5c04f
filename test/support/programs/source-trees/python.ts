import {
  FASTAPI,
  GUNICORN,
  isTaken,
  json,
  REQUIREMENTS,
  SERVE,
  type SourceTree,
  UVICORN,
  VENV,
} from './tree.ts';

const flask = 'from flask import Flask\napp = Flask(__name__)\n';
const sync = 'uv sync --no-dev --inexact --python PYTHON --project . --locked';

export const pythonTrees: readonly SourceTree[] = [
  {
    name: 'FastAPI with requirements',
    files: { 'main.py': FASTAPI, 'requirements.txt': 'fastapi' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with a lockfile of uv',
    files: { 'main.py': FASTAPI, 'pyproject.toml': '[project]\nname = "x"\n', 'uv.lock': '' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${sync}, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with a lockfile of poetry, and commands of its own',
    files: {
      'main.py': FASTAPI,
      'pyproject.toml': '[tool.poetry]\nname = "x"\n[tool.poetry.scripts]\nx = "x:main"\n',
      'poetry.lock': '',
    },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then uv tool run --python PYTHON --with poetry-plugin-export==1.10.1 poetry@2.5.1 export --without-hashes > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then uv pip install --no-deps -e ., then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with a lockfile of pdm',
    files: { 'main.py': FASTAPI, 'pyproject.toml': '[project]\nname = "x"\n', 'pdm.lock': '' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then uv tool run --python PYTHON pdm@2.29.4 export --prod --without-hashes --format requirements > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with a lockfile of pipenv',
    files: { 'main.py': FASTAPI, Pipfile: '[packages]\nfastapi = "*"\n', 'Pipfile.lock': '{}' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then uv tool run --python PYTHON pipenv@2026.10.3 requirements > .venv/requirements.txt, then uv pip install -r .venv/requirements.txt, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with a Pipfile that is not locked',
    files: {
      'main.py': FASTAPI,
      Pipfile:
        '[packages]\nfastapi = {extras = ["standard"], version = ">=0.100"}\nhttpx = "*"\nown = {git = "https://a.b/own.git", ref = "v1"}\npart = {path = "./part", editable = true}\n\n[dev-packages]\npytest = "*"\n',
    },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then uv pip install 'fastapi[standard]>=0.100' httpx 'own @ git+https://a.b/own.git@v1' -e ./part, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI with dependencies in pyproject.toml and nothing to build a package with',
    files: { 'app/main.py': FASTAPI, 'app/__init__.py': '', 'pyproject.toml': '[project]\nname = "x"\n' },
    expected: isTaken('a FastAPI app', 'app/main.py', 'uvicorn app.main:app --host $HOST --port $PORT', {
      install: `${VENV}, then uv pip install -r pyproject.toml, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI in a package below src',
    files: {
      'src/agent/server.py': 'import fastapi\napi: FASTAPI.FastAPI = fastapi.FastAPI()\n',
      'pyproject.toml': '[project]\nname = "agent"\n[build-system]\nbuild-backend = "hatchling.build"\n',
      'tests/main.py': FASTAPI,
    },
    expected: isTaken(
      'a FastAPI app',
      'src/agent/server.py',
      'uvicorn --app-dir src agent.server:api --host $HOST --port $PORT',
      { install: `${VENV}, then uv pip install -e ., then ${UVICORN}` },
    ),
  },
  {
    name: 'FastAPI in src, which is the package',
    files: { 'src/main.py': `from src.settings import x\n${FASTAPI}`, 'requirements.txt': '' },
    expected: isTaken('a FastAPI app', 'src/main.py', 'uvicorn src.main:app --host $HOST --port $PORT', {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI in src, which imports what lies beside it',
    files: { 'src/main.py': `from .settings import x\n${FASTAPI}`, 'requirements.txt': '' },
    expected: isTaken('a FastAPI app', 'src/main.py', 'uvicorn src.main:app --host $HOST --port $PORT', {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'FastAPI in src, on the search path',
    files: { 'src/main.py': FASTAPI, 'requirements.txt': '' },
    expected: isTaken(
      'a FastAPI app',
      'src/main.py',
      'uvicorn --app-dir src main:app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'FastAPI in a folder that what it imports is in',
    files: {
      'backend/app/main.py': `from app.core import settings\n${FASTAPI}`,
      'backend/app/core.py': '',
      'requirements.txt': 'fastapi',
    },
    expected: isTaken(
      'a FastAPI app',
      'backend/app/main.py',
      'uvicorn --app-dir backend app.main:app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'FastAPI in a folder that it imports by name',
    files: {
      'backend/main.py': `import backend.config\n${FASTAPI}`,
      'backend/config.py': '',
      'requirements.txt': 'fastapi',
    },
    expected: isTaken(
      'a FastAPI app',
      'backend/main.py',
      'uvicorn backend.main:app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'FastAPI that a function makes',
    files: { 'app.py': 'def create_app() -> FastAPI:\n    return FastAPI()\n', 'requirements.txt': '' },
    expected: isTaken(
      'a FastAPI app',
      'app.py',
      'uvicorn --factory app:create_app --host $HOST --port $PORT',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}` },
    ),
  },
  {
    name: 'Starlette, and no file with dependencies',
    files: { 'server.py': 'app = Starlette(routes=[])\n' },
    expected: isTaken('an ASGI app', 'server.py', 'uvicorn server:app --host $HOST --port $PORT', {
      install: `${VENV}, then ${UVICORN}`,
    }),
  },
  {
    name: 'a plain ASGI function',
    files: { 'main.py': 'async def app(scope, receive, send):\n    pass\n', 'requirements.txt': '' },
    expected: isTaken('an ASGI app', 'main.py', SERVE.replace('uvicorn', 'uvicorn --root-path='), {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'Flask',
    files: { 'app.py': flask, 'requirements.txt': 'flask' },
    expected: isTaken('a Flask app', 'app.py', 'gunicorn --bind $HOST:$PORT app:app', {
      install: `${VENV}, then ${REQUIREMENTS}, then ${GUNICORN}`,
    }),
  },
  {
    name: 'Flask that a function of a package makes',
    files: {
      'shop/__init__.py': 'def create_app(config=None):\n    app = Flask(__name__)\n    return app\n',
      'setup.py': '',
    },
    expected: isTaken('a Flask app', 'shop/__init__.py', "gunicorn --bind $HOST:$PORT 'shop:create_app()'", {
      install: `${VENV}, then uv pip install -e ., then ${GUNICORN}`,
    }),
  },
  {
    name: 'Django',
    files: {
      'manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site.settings")\nimport django\n',
      'mysite/wsgi.py': 'application = get_wsgi_application()\n',
      'mysite/asgi.py': 'application = get_asgi_application()\n',
      'requirements.txt': 'django',
    },
    expected: isTaken(
      'a Django project',
      'manage.py',
      'gunicorn --bind $HOST:$PORT mysite.wsgi:application',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${GUNICORN}` },
    ),
  },
  {
    name: 'FastAPI in a package, which always runs itself, at PORT',
    files: {
      'api/main.py': `${FASTAPI}uvicorn.run(app, port=int(os.getenv("PORT", "8000")))\n`,
      'requirements.txt': 'fastapi',
    },
    expected: isTaken('a FastAPI app', 'api/main.py', 'python -m api.main', {
      install: `${VENV}, then ${REQUIREMENTS}`,
    }),
  },
  {
    name: 'agents of ADK',
    files: { 'weather/agent.py': 'root_agent = Agent(name="x")\n', 'requirements.txt': 'google-adk==1.0\n' },
    expected: isTaken('agents of ADK', 'weather/agent.py', 'adk api_server --host $HOST --port $PORT .', {
      install: `${VENV}, then ${REQUIREMENTS}`,
    }),
  },
  {
    name: 'a script that reads PORT',
    files: { 'main.py': 'run(port=int(os.environ.get("PORT", "8000")))\n', 'requirements.txt': 'aiohttp' },
    expected: isTaken('a Python server', 'main.py', 'python main.py', {
      install: `${VENV}, then ${REQUIREMENTS}`,
    }),
  },
  {
    name: 'a Python server with an install command of the client',
    files: { 'main.py': FASTAPI, 'requirements.txt': '' },
    installCommand: 'pip install -r other.txt',
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `uv venv --seed --python PYTHON .venv, then pip install -r other.txt, then ${UVICORN}`,
    }),
  },
  {
    name: 'a file that begins with a byte order mark',
    files: { 'main.py': `\ufeffapp = FastAPI()\n`, 'requirements.txt': '' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
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
      install: `${VENV}, then uv sync --no-dev --inexact --python PYTHON --project . --package one --locked, then langgraph-cli[inmem], unless the project brings it`,
      build: 'nothing',
      start: 'the Python agent server of langgraph.json',
    },
  },
  {
    name: 'a server on a Python that the server which is added no longer knows',
    files: { 'main.py': FASTAPI, 'requirements.txt': 'fastapi', '.python-version': '3.9\n' },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${REQUIREMENTS}, then uvicorn, unless the project brings uvicorn`,
    }),
  },
];
