import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { detectServer } from '../../../lib/builds/detect/detect.ts';
import { readSourceFiles } from '../../../lib/builds/detect/source-files.ts';
import { kindOf } from '../../../lib/cli/shell/project-kind.ts';
import { makeCliDistribution } from '../../../lib/cli-bundle/distribution.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import { slipway } from '../../support/programs/user-cli.ts';

const python = {
  'agent.py':
    'from langgraph.graph import StateGraph\n\nbuilder = StateGraph(dict)\ngraph = builder.compile()\n',
};
const script = {
  'src/agent.js':
    "import { StateGraph } from '@langchain/langgraph';\n\nexport const team = new StateGraph(State)\n  .addNode('a', a)\n  .compile();\n",
};

it.each([
  ['LangGraph in Python', python, { agent: './agent.py:graph' }],
  ['LangGraph in JavaScript', script, { team: './src/agent.js:team' }],
])('finds the graphs of %s, and writes what names them', async (_, files, graphs) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const { exit, stderr } = await slipway({ cwd: folder }, ['init', '--name', 'agent']);
  expect([exit, stderr.includes('requirements.txt is missing')]).toEqual([0, 'agent.py' in files]);
  const written = JSON.parse(await readFile(join(folder, 'langgraph.json'), 'utf8'));
  expect(written).toEqual('agent.py' in files ? { dependencies: ['.'], graphs } : { graphs });
  expect(JSON.parse(await readFile(join(folder, 'slipway.json'), 'utf8'))).toEqual({ name: 'agent' });
});

it('keeps what is there: langgraph.json, slipway.json and lines of .gitignore', async () => {
  const folder = await temporaryFolder();
  const files = {
    ...python,
    'langgraph.json': '{}',
    'slipway.json': '{"name":"x"}',
    '.gitignore': '.env\n.venv',
  };
  await writeFiles(folder, files);
  expect(await slipway({ cwd: folder }, ['init'])).toMatchObject({ exit: 0, stdout: '.gitignore\n' });
  for (const name of ['langgraph.json', 'slipway.json'] as const)
    expect(await readFile(join(folder, name), 'utf8')).toBe(files[name]);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe(
    '.env\n.venv\n.langgraph_api/\n__pycache__/\n',
  );
});

it.each([
  'FastAPI',
  'starlette.applications.Starlette',
  'Litestar',
  'Quart',
  'Sanic',
  'Flask',
  'FastMCP',
  'MCPServer',
  'mcp.streamable_http_app',
  'mcp.http_app',
  'get_fast_api_app',
])('takes what %s makes for a server, as builds do', async (call) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'main.py': `app = ${call}("x")\n`, 'requirements.txt': 'x\n' });
  expect(kindOf(folder)).toEqual({ what: 'a server in Python', isPython: true });
  const files = await readSourceFiles(folder, folder);
  expect(detectServer({ files, folder: '.', tools: new Set() })).toMatchObject({ file: 'main.py' });
});

it('knows what each template is, and every one names what it depends on', async () => {
  const all: Record<string, Record<string, string>> = JSON.parse(
    String((await makeCliDistribution()).files.get('templates.json')),
  );
  const kinds = Object.entries(all).map(async ([name, files]) => {
    const folder = await temporaryFolder();
    await writeFiles(folder, files);
    const { what, lacks } = kindOf(folder);
    return [name, what, lacks];
  });
  expect(await Promise.all(kinds)).toEqual([
    ['fastapi', 'a server in Python', undefined],
    ['langgraph-python', 'an agent of LangGraph', undefined],
    ['langgraph-js', 'an agent of LangGraph', undefined],
    ['mcp', 'a server in Python', undefined],
  ]);
});

const served =
  (templates: unknown): typeof fetch =>
  async () =>
    Response.json(templates);
const environment = { SLIPWAY_URL: 'https://slipway.example', SLIPWAY_API_KEY: 'k' };

it.each(['../out.py', '/etc/out', 'a/../../out', '.git/hooks/post-commit', 'a/.env', 'C:out', 'a\\out'])(
  'writes nothing where a template of an installation has a file %s',
  async (path) => {
    const folder = await temporaryFolder();
    const fetch = served({ mcp: { 'server.py': 'x', [path]: 'x' } });
    const ran = await slipway({ cwd: folder, environment, fetch }, ['init', 'new', '--template', 'mcp']);
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('is refused: its paths')]);
    expect(kindOf(folder).what).toBeUndefined();
  },
);

it.each(['http://slipway.example', 'http://127.0.0.1.slipway.example'])(
  'fetches nothing of %s, where anybody may answer',
  async (url) => {
    const { exit, stderr } = await slipway(
      { cwd: await temporaryFolder(), environment: { ...environment, SLIPWAY_URL: url } },
      ['init', '--template', 'mcp'],
    );
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Use https')]);
  },
);
