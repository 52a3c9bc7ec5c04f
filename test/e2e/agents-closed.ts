import { expect } from 'vitest';
import * as z from 'zod';
import { gitRepository } from '../support/files/git-repository.ts';
import type { Files } from '../support/files/write-files.ts';
import { agentFiles, logOf, shouted } from '../support/programs/agents.ts';
import { create, deployed, ended, type Program } from '../support/programs/program.ts';

const BUILD_MS = 600_000;

/** A route of the agent's own, named as one of its server, and an auth that asks Studio too. */
const ADDED: Record<string, Files> = {
  'shout-agent': {
    'web.js':
      "import { Hono } from 'hono';\nexport const app = new Hono();\napp.all('/deploy', (c) => c.json({ own: true }));\n",
    'auth.js': `import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';
export const auth = new Auth().authenticate(async (request) => {
  if (request.headers.get('x-auth-scheme')) throw new HTTPException(401, { message: 'no' });
  return { identity: 'someone', permissions: [] };
});
`,
  },
  'shout-agent-python': {
    'web.py': `from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


async def deploy(request):
    return JSONResponse({"own": True})


app = Starlette(routes=[Route("/deploy", deploy, methods=["GET", "POST"])])
`,
    'auth.py': `from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict) -> str:
    if headers.get(b"x-auth-scheme"):
        raise Auth.exceptions.HTTPException(status_code=401, detail="no")
    return "someone"
`,
  },
};

function changed(files: Files, path: string, from: string, to: string): string {
  const text = files[path];
  if (typeof text !== 'string' || !text.includes(from)) throw new Error(`${path} is not what this expects`);
  return text.replace(from, to);
}

async function filesOf(example: string): Promise<Files> {
  const files = await agentFiles(example);
  const config = (app: string, auth: string) => {
    const own = `"http": { "app": "${app}" },\n  "auth": { "path": "${auth}" },\n  "graphs"`;
    return changed(files, 'langgraph.json', '"graphs"', own);
  };
  if (example === 'shout-agent')
    return {
      ...files,
      ...ADDED[example],
      'langgraph.json': config('./web.js:app', './auth.js:auth'),
      'package.json': changed(files, 'package.json', '"zod": "^4"', '"hono": "^4",\n    "zod": "^4"'),
      'src/agent.js': changed(
        files,
        'src/agent.js',
        'async function shout(state, config) {',
        'async function shout(state, config) {\n  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);',
      ),
    };
  return {
    ...files,
    ...ADDED[example],
    'langgraph.json': config('./web.py:app', './auth.py:auth'),
    'agent.py': changed(
      files,
      'agent.py',
      '    write = get_stream_writer()',
      '    import time\n\n    time.sleep(0.05)\n    write = get_stream_writer()',
    ),
  };
}

const card = z.object({ url: z.string(), supportedInterfaces: z.array(z.object({ url: z.string() })) });
const description = z.object({ servers: z.array(z.object({ url: z.string() })) });
const assistants = z.array(z.object({ assistant_id: z.string() })).min(1);

/**
 * An agent server without what its ecosystem has for development: routes that ask for no credentials, a check
 * that ends runs which block, and the address of its own port.
 */
export async function expectClosedAgent(program: Program, example: string): Promise<void> {
  const { url } = await gitRepository(await filesOf(example));
  const made = await create(program, `${example}-closed`, url);
  await ended(program, made.id, made.latest_revision_id, BUILD_MS);
  const agent = await deployed(program, made);
  expect(await shouted(agent, 'blocks')).toBe('v1: BLOCKS!');

  const base = agent.source_config.custom_url;
  const post = (path: string, body = '{}') =>
    fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const thread = z.object({ thread_id: z.string() }).parse(await (await post('/threads')).json());
  const truncated = await post('/internal/truncate', '{"threads": true, "runs": true}');
  expect(truncated.status).toBe(404);
  expect((await fetch(`${base}/internal/debug/thread/${thread.thread_id}`)).status).toBe(404);
  expect((await fetch(`${base}/threads/${thread.thread_id}`)).status).toBe(200);
  for (const answer of [await post('/deploy'), await fetch(`${base}/deploy`)])
    expect([answer.status, await answer.json()]).toEqual([200, { own: true }]);
  const asStudio = { 'content-type': 'application/json', 'x-auth-scheme': 'langsmith' };
  const studio = await fetch(`${base}/threads/search`, { method: 'POST', headers: asStudio, body: '{}' });
  expect([studio.status, (await post('/threads/search')).status]).toEqual([401, 200]);
  const lines = await logOf(program, agent, 'deploy');
  expect(lines.filter(({ message }) => message.includes('routes for development'))).toEqual([]);

  // A JavaScript server says nothing of its address.
  if (example === 'shout-agent') return;
  const { servers } = description.parse(await (await fetch(`${base}/openapi.json`)).json());
  expect(servers).toEqual([{ url: base }]);
  const [assistant] = assistants.parse(await (await post('/assistants/search')).json());
  const address = `${base}/a2a/${assistant?.assistant_id}`;
  const found = await fetch(`${base}/.well-known/agent-card.json?assistant_id=${assistant?.assistant_id}`);
  expect(card.parse(await found.json())).toEqual({ url: address, supportedInterfaces: [{ url: address }] });
}
