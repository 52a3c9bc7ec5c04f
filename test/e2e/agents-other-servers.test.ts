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
import { sendLines } from '../support/http/raw-request.ts';
import { logOf, printTimes } from '../support/programs/agents.ts';
import { installMcpClient } from '../support/programs/mcp-client.ts';
import {
  askServer,
  create,
  deployed,
  endProgram,
  type Program,
  type ShownDeployment,
  startProgram,
} from '../support/programs/program.ts';
import { installUv } from '../support/programs/uv.ts';

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
async function deploy(name: string, files: Files, sourceConfig: object = {}): Promise<ShownDeployment> {
  const { url } = await gitRepository(files);
  const more = { source_config: { repo_url: url, ...sourceConfig } };
  const made = await deployed(program, await create(program, name, url, more));
  await printTimes(program, made, name);
  return made;
}

const deployLines = async (made: ShownDeployment): Promise<string[]> =>
  (await logOf(program, made, 'deploy')).map(({ message }) => message);

const fastapi = {
  'main.py':
    'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/")\n@app.get("/health")\ndef root():\n    return "here"\n',
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

it(
  'FastAPI says where it is ready, and its page of the API finds it at both addresses',
  async () => {
    const files = { ...fastapi, 'requirements.txt': 'fastapi\n' };
    const made = await deploy('pages', files, { health_check: { path: '/health' } });
    const lines = await deployLines(made);
    expect(lines).toContainEqual(expect.stringMatching(/^Healthy after /));
    expect(lines.filter((line) => line.includes('answers at all'))).toEqual([]);

    const { port } = new URL(made.source_config.custom_url ?? '');
    const ask = (host: string, path: string) =>
      sendLines(
        Number(port),
        [`GET ${path} HTTP/1.1`, `Host: ${host}:${port}`, 'Connection: close', '', ''],
        () => false,
      );
    for (const [host, docs] of [
      ['localhost', '/d/pages/docs'],
      ['pages.localhost', '/docs'],
    ] as const) {
      const page = await ask(host, docs);
      const [, api = ''] = /url: '([^']*openapi\.json)'/.exec(page) ?? [];
      expect([host, api]).toEqual([host, '/d/pages/openapi.json']);
      expect(await ask(host, api)).toMatch(/^HTTP\/1\.1 200 [^]*"title":"FastAPI"/);
    }
  },
  TEST_MS,
);

it('Django by its Procfile, which migrates before it serves', { timeout: TEST_MS }, async () => {
  const settings = 'import os\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\n';
  const made = await deploy('django', {
    Procfile: 'web: gunicorn shop.wsgi --bind $HOST:$PORT\nrelease: python manage.py migrate\n',
    'requirements.txt': 'django\n',
    'manage.py': `${settings}from django.core.management import execute_from_command_line\nexecute_from_command_line()\n`,
    'shop/settings.py':
      'SECRET_KEY = "x"\nROOT_URLCONF = "shop.urls"\nALLOWED_HOSTS = ["*"]\nINSTALLED_APPS = ["django.contrib.contenttypes"]\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.db"}}\n',
    'shop/urls.py':
      'from django.contrib.contenttypes.models import ContentType\nfrom django.http import HttpResponse\nfrom django.urls import path\nurlpatterns = [path("", lambda request: HttpResponse(f"tables of {ContentType.objects.get().app_label}"))]\n',
    'shop/wsgi.py': `${settings}from django.core.wsgi import get_wsgi_application\napplication = get_wsgi_application()\n`,
  });
  expect(await (await askServer(made)).text()).toBe('tables of contenttypes');
  const lines = await deployLines(made);
  const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
  expect(at(/Applying contenttypes\.0001_initial/)).toBeGreaterThan(-1);
  expect(at(/^Starting /)).toBeGreaterThan(at(/^The release line ended well/));
});

it('an MCP server in Python, for the official client', { timeout: TEST_MS }, async () => {
  const folder = await temporaryFolder();
  const callTool = await installMcpClient(installUv(folder), folder);
  const made = await deploy('mcp', {
    'server.py':
      'from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP("words")\n\n\n@mcp.tool()\ndef shout(text: str) -> str:\n    return text.upper()\n',
    'requirements.txt': 'mcp<2\n',
  });
  expect(await callTool(`${made.source_config.custom_url}/mcp`, 'shout', 'hello there')).toBe('HELLO THERE');
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
