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

/** Sources with files of several kinds, the first of which counts. */
export const mixedTrees: readonly SourceTree[] = [
  {
    name: 'a Procfile beside requirements, with a server that they do not name',
    files: { Procfile: 'web: gunicorn shop.wsgi --bind $HOST:$PORT', 'requirements.txt': 'django' },
    expected: isTaken(
      'a server with a command of its own',
      'Procfile',
      'gunicorn shop.wsgi --bind $HOST:$PORT',
      {
        install: `${VENV}, then ${REQUIREMENTS}, then ${GUNICORN}`,
      },
    ),
  },
  {
    name: 'a Procfile beside requirements and a package.json',
    files: {
      Procfile: 'web: python app.py',
      'requirements.txt': 'x',
      'package.json': json({ dependencies: { a: '1' }, scripts: { build: 'vite build' } }),
    },
    expected: isTaken('a server with a command of its own', 'Procfile', 'python app.py', {
      install: `npm install, then ${VENV}, then ${REQUIREMENTS}`,
      build: 'npm run build',
    }),
  },
  {
    name: 'FastAPI beside a package.json for its styles, and a task of Deno',
    tools: ['deno'],
    files: {
      'main.py': FASTAPI,
      'requirements.txt': 'fastapi',
      'package.json': json({ main: 'index.js', scripts: { build: 'tailwindcss -o static/x.css' } }),
      'deno.json': json({ tasks: { start: 'deno run x.ts' } }),
    },
    expected: isTaken('a FastAPI app', 'main.py', SERVE, {
      install: `${VENV}, then ${REQUIREMENTS}, then ${UVICORN}`,
    }),
  },
  {
    name: 'a Procfile whose second command is a server that nobody names',
    files: {
      Procfile: 'web: python manage.py migrate && PYTHONPATH=src exec gunicorn app.wsgi\n',
      'requirements.txt': 'django',
    },
    expected: isTaken(
      'a server with a command of its own',
      'Procfile',
      'python manage.py migrate && PYTHONPATH=src exec gunicorn app.wsgi',
      { install: `${VENV}, then ${REQUIREMENTS}, then ${GUNICORN}` },
    ),
  },
];
