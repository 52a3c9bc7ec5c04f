import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POETRY_VERSION } from '../../lib/builds/versions.ts';
import { findPythons } from '../../lib/processes/python/interpreters.ts';
import { gitRepository } from '../support/files/git-repository.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../support/files/write-files.ts';
import { logOf } from '../support/programs/agents.ts';
import {
  askServer,
  create,
  deployed,
  endProgram,
  type Program,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';

// Servers that nobody made for Slipway, each with real tools and packages from the network.

const TEST_MS = 300_000;
const run = promisify(execFile);

let program: Program;
beforeAll(async () => {
  program = await startProgram();
});
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
});

/** Deploys the files, and prints the seconds of the parts. */
async function deploy(name: string, files: Files): Promise<ShownDeployment> {
  const { url } = await gitRepository(files);
  const made = await deployed(program, await create(program, name, url));
  const lines = (
    await Promise.all((['build', 'deploy'] as const).map((log) => logOf(program, made, log)))
  ).flat();
  const times = lines.flatMap(({ message }) => (message.startsWith('timing:') ? message.slice(8) : []));
  process.stdout.write(`${name}: ${times.join(' ')}\n`);
  return made;
}

const fastapi = {
  'main.py':
    'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/")\ndef root():\n    return "here"\n',
};
const dependency = 'requires-python = ">=3.11"\ndependencies = ["fastapi"]\n';
const project = `[project]\nname = "api"\nversion = "1.0.0"\n${dependency}`;
const poetryProject = `${project}\n[tool.poetry]\npackage-mode = false\n
[[tool.poetry.source]]\nname = "simple"\nurl = "https://pypi.org/simple"\npriority = "primary"\n`;

/** Makes a lockfile with the uv that builds of this program use. */
async function locked(pyproject: string, lockfile: string, words: readonly string[]): Promise<Files> {
  const tools = join(program.dataFolder, 'tools');
  const [own] = await readdir(tools).catch(() => []);
  const uv = own === undefined ? 'uv' : join(tools, own, 'uv');
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'pyproject.toml': pyproject });
  await run(uv, [...words], { cwd: folder });
  return { 'pyproject.toml': pyproject, [lockfile]: await readFile(join(folder, lockfile), 'utf8') };
}

it('FastAPI, whatever locks its packages', { timeout: 3 * TEST_MS }, async () => {
  const python = (await findPythons(process.env.PATH ?? '')).find(({ version }) => version !== '3.10');
  const at = python?.executable ?? 'python3';
  const sources: Record<string, () => Promise<Files>> = {
    'fastapi-requirements': async () => ({ 'requirements.txt': 'fastapi\n' }),
    'fastapi-uv': () => locked(project, 'uv.lock', ['lock', '--python', at]),
    'fastapi-poetry': () =>
      locked(poetryProject, 'poetry.lock', [
        'tool',
        'run',
        '--python',
        at,
        `poetry@${POETRY_VERSION}`,
        'lock',
      ]),
  };
  for (const [name, files] of Object.entries(sources)) {
    const made = await deploy(name, { ...fastapi, ...(await files()) });
    expect([name, await (await askServer(made)).json()]).toEqual([name, 'here']);
  }
});

it('Django by its Procfile', { timeout: TEST_MS }, async () => {
  const settings = 'import os\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\n';
  const made = await deploy('django', {
    Procfile: 'web: gunicorn shop.wsgi --bind $HOST:$PORT\n',
    'requirements.txt': 'django\n',
    'shop/settings.py': 'SECRET_KEY = "x"\nROOT_URLCONF = "shop.urls"\nALLOWED_HOSTS = ["*"]\n',
    'shop/urls.py':
      'from django.http import HttpResponse\nfrom django.urls import path\nurlpatterns = [path("", lambda request: HttpResponse("here"))]\n',
    'shop/wsgi.py': `${settings}from django.core.wsgi import get_wsgi_application\napplication = get_wsgi_application()\n`,
  });
  expect(await (await askServer(made)).text()).toBe('here');
});

it('an MCP server in Python', { timeout: TEST_MS }, async () => {
  const made = await deploy('mcp', {
    'server.py':
      'from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP("sums", stateless_http=True, json_response=True)\n\n\n@mcp.tool()\ndef add(a: int, b: int) -> int:\n    return a + b\n',
    'requirements.txt': 'mcp<2\n',
  });
  const params = { name: 'add', arguments: { a: 20, b: 22 } };
  const response = await fetch(`${made.source_config.custom_url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(await response.json()).toMatchObject({ result: { content: [{ text: '42' }] } });
});

it('Go', { timeout: TEST_MS }, async () => {
  const made = await deploy('go', {
    'go.mod': 'module here\n\ngo 1.21\n',
    'main.go': `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "here") })
	http.ListenAndServe(os.Getenv("HOST")+":"+os.Getenv("PORT"), nil)
}
`,
  });
  expect(await (await askServer(made)).text()).toBe('here');
});

it('Next.js without scripts', { timeout: 2 * TEST_MS }, async () => {
  const made = await deploy('next', {
    'package.json': JSON.stringify({ dependencies: { next: '15', react: '19', 'react-dom': '19' } }),
    'pages/index.js': 'export default function Page() { return <p>here</p>; }\n',
  });
  expect(await (await askServer(made)).text()).toContain('here');
});
