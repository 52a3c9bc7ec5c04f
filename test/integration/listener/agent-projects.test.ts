import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { sendLines } from '../../support/http/raw-request.ts';
import { until } from '../../support/until.ts';
import { completionOf, specOf, tarballOf } from './listener-program.ts';
import { type SharedListener, sharedListener } from './shared-listener.ts';

const json = (value: object) => JSON.stringify(value);

/** The tool that starts an agent server in JavaScript, which is given in place of the real one. */
const agentProject = (server: Record<string, string>) =>
  tarballOf({
    'langgraph.json': json({ graphs: { agent: './agent.js:graph' } }),
    'package.json': json({ type: 'module' }),
    ...server,
  });

/** Answers with the path of each request, and keeps its development routes whatever it is told. */
const DEAF = `#!/usr/bin/env node
import { createServer } from 'node:http';
createServer((request, response) => response.end('saw ' + request.url))
  .listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
`;

/** A package in the folder of the project. */
const packageOf = (name: string, main: string, text: string) => ({
  [`node_modules/${name}/package.json`]: json({
    name,
    type: 'module',
    exports: { '.': main, './server': main },
  }),
  [`node_modules/${name}/${main}`]: text,
});

/** A server that is made as the real one is: with a router, to which it adds its routes and the project's. */
const ROUTED = {
  ...packageOf(
    'hono',
    './index.js',
    `export class Hono {
      constructor() {
        this.routes = new Map();
        this.post = (path, answer) => {
          this.routes.set(path, answer);
          return this;
        };
      }
    }`,
  ),
  ...packageOf(
    '@langchain/langgraph-api',
    './dist/server.mjs',
    `import { createServer } from 'node:http';
    import { Hono } from 'hono';
    import { custom } from '../../../../custom.js';
    const app = new Hono();
    app.post('/internal/truncate', () => 'everything is gone').post('/threads', () => 'a thread');
    const routes = new Map([...app.routes, ...custom.routes]);
    createServer((request, response) => {
      const answer = request.url === '/ok' ? () => 'ok' : routes.get(request.url);
      response.writeHead(answer === undefined ? 404 : 200).end(answer?.() ?? 'nothing of the server');
    }).listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');`,
  ),
  'custom.js': `import { Hono } from 'hono';
    export const custom = new Hono().post('/deploy', () => 'my own').post('/internal/mine', () => 'my own too');`,
  'node_modules/.bin/langgraphjs': "#!/usr/bin/env node\nimport '@langchain/langgraph-api/server';\n",
};

async function deployAgent(
  { controlPlane }: SharedListener,
  tarball: Buffer,
  rest: Partial<DeploySpec> = {},
) {
  const spec = specOf(controlPlane, controlPlane.addArtifact(tarball), rest);
  const taskId = controlPlane.offerDeploy(spec);
  const { outcome, status_message: message } = await completionOf(controlPlane, taskId);
  expect([outcome, message ?? '']).toEqual(['succeeded', '']);
  const warnings = controlPlane
    .taskLinesOf(taskId)
    .flatMap((line) => (line.level === 'WARNING' ? [line.message] : []));
  return { spec, warnings, name: spec.deployment_name };
}

/** Knows /ok only after a while. */
const SLOW = `#!/usr/bin/env node
import { createServer } from 'node:http';
const begin = Date.now();
createServer((request, response) => response.writeHead(Date.now() - begin < 1500 ? 404 : 200).end())
  .listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
`;

describe('the readiness of an agent server', () => {
  const shared = sharedListener();

  it('is a 200 of /ok and nothing else', async () => {
    const tarball = await agentProject({ 'node_modules/.bin/langgraphjs': SLOW });
    const { name } = await deployAgent(shared(), tarball);
    expect((await fetch(shared().program.url(name, '/ok'))).status).toBe(200);
  });
});

describe('the routes for development of an agent server', () => {
  const shared = sharedListener();

  it('are closed by the proxy, however they are spelled, where the server keeps them; the log says so', async () => {
    const { program } = shared();
    const tarball = await agentProject({ 'node_modules/.bin/langgraphjs': DEAF });
    const { warnings, name } = await deployAgent(shared(), tarball);

    const ask = async (path: string, method = 'GET') => {
      const answer = await sendLines(program.agentsPort, [
        `${method} /d/${name}${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        '',
        '',
      ]);
      return answer.slice(9, 12);
    };
    for (const path of [
      '/internal/truncate',
      '/internal/debug/thread/1',
      '/deploy',
      '/deploy/1/stream?x=/ok',
      '/%64eploy',
      '/%2564eploy',
      '/DEPLOY',
      '//deploy',
      '/.//x/%2e%2e/deploy/',
      '/internal%2Ftruncate',
      '/internal\\truncate',
      '/internal/truncate%0A',
      '/internal;a=b/truncate',
    ])
      expect([path, await ask(path, 'POST')]).toEqual([path, '404']);
    for (const path of ['/threads', '/deployments', '/x/deploy', '/?/internal/', '/internals'])
      expect([path, await ask(path)]).toEqual([path, '200']);

    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', '', ''];
    const upgraded = await sendLines(program.agentsPort, [
      `GET /d/${name}/deploy HTTP/1.1`,
      'Host: localhost',
      ...upgrade,
    ]);
    expect(upgraded.slice(9, 12)).toBe('404');
    const closed = await fetch(program.url(name, '/deploy'));
    expect(await closed.json()).toEqual({ detail: expect.stringMatching(/^Not found/) });
    expect(warnings.join('\n')).toMatch(/keeps its routes for development.*\/internal and \/deploy/);
  });

  it('are left out by a server that is made without them, and the agent’s own of such a name answer', async () => {
    const { program } = shared();
    const { warnings, name } = await deployAgent(shared(), await agentProject(ROUTED));
    const ask = async (path: string) => (await fetch(program.url(name, path), { method: 'POST' })).text();
    expect(await ask('/internal/truncate')).toBe('nothing of the server');
    expect(await ask('/deploy')).toBe('my own');
    expect(await ask('/internal/mine')).toBe('my own too');
    expect(await ask('/threads')).toBe('a thread');
    expect(warnings).toEqual([]);
  });
});

/**
 * Asks for credentials, and has a run in the background that ends two seconds after it was asked for such
 * runs. What it has done is kept in its folder of threads.
 */
const SEALED = `#!/usr/bin/env node
import { createServer } from 'node:http';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const FILE = '.langgraph_api/done';
let run;
createServer((request, response) => {
  if (request.url === '/threads/search') {
    run ??= setTimeout(() => appendFileSync(FILE, 'the run has ended'), 2000);
    return response.writeHead(401).end('{"detail":"no"}');
  }
  response.end(existsSync(FILE) ? readFileSync(FILE) : '');
}).listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`;

describe('an agent with an auth of its own', () => {
  const shared = sharedListener();

  it('has the whole time for runs in the background when it is replaced, and the log says so', async () => {
    const { program } = shared();
    const tarball = await agentProject({ 'node_modules/.bin/langgraphjs': SEALED });
    const first = await deployAgent(shared(), tarball);
    const { deployment_id } = first.spec;
    const second = await deployAgent(shared(), tarball, { deployment_id, epoch: 3, drain_seconds: 5 });
    expect(await (await fetch(program.url(first.name))).text()).toBe('the run has ended');
    expect(second.warnings.join('\n')).toMatch(/credentials of its own.*5 s \(drain_seconds\)/);
  });

  it('is not waited for once it has ended', async () => {
    const { controlPlane, program } = shared();
    const tarball = await agentProject({ 'node_modules/.bin/langgraphjs': SEALED });
    const first = await deployAgent(shared(), tarball);
    const { deployment_id } = first.spec;
    const [pid] = program.serverPids(deployment_id);
    // Longer than a test may take.
    const spec = specOf(controlPlane, controlPlane.addArtifact(tarball), {
      deployment_id,
      epoch: 3,
      drain_seconds: 3600,
    });
    const taskId = controlPlane.offerDeploy(spec);
    await until(
      () =>
        controlPlane.taskLinesOf(taskId).some(({ message }) => message.includes('credentials of its own')),
      {
        what: 'the wait to begin',
      },
    );
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('succeeded');
  });
});

const ENVIRONMENT = `require('node:http')
  .createServer((request, response) => response.end(JSON.stringify({ env: process.env, argv: process.argv })))
  .listen(Number(process.env.PORT), process.env.HOST);`;

const seen = z.object({ env: z.record(z.string(), z.string()), argv: z.array(z.string()) });
const seenBy = async (url: string) => seen.parse(await (await fetch(url)).json());

describe('a variable whose name no shell knows', () => {
  const shared = sharedListener();
  const names = ['MY-VAR', 'spring.datasource.url', 'Logging:Level', '1ST'];
  const environment = names.map((name) => ({ name, value: `value of ${name}` }));
  const wanted = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
  const serverOf = (files: Record<string, string>) => tarballOf({ 'main.cjs': ENVIRONMENT, ...files });

  it.each([
    ['start script', { 'package.json': json({ scripts: { start: 'node main.cjs' } }) }],
    ['Procfile', { Procfile: 'web: node main.cjs --port=${PORT} "$PORT"' }],
  ])('reaches the server whose %s is one plain command, as no argument', async (_, files) => {
    const { program } = shared();
    const { warnings, name } = await deployAgent(shared(), await serverOf(files), { environment });
    const { env, argv } = await seenBy(program.url(name));
    expect(env).toMatchObject(wanted);
    expect(env.PWD).toContain('/revisions/');
    if ('Procfile' in files) expect(argv.slice(2)).toEqual([`--port=${env.PORT}`, env.PORT]);
    expect(argv.join(' ')).not.toContain('value of');
    expect(warnings).toEqual([]);
  });

  it.each([
    ['a line that needs a shell', { start: 'true && node main.cjs' }],
    ['a script that npm runs', { prestart: 'true', start: 'node main.cjs' }],
  ])('is named in the deploy log where %s may drop it', async (_, scripts) => {
    const { program } = shared();
    const tarball = await serverOf({ 'package.json': json({ scripts }) });
    const { warnings, name } = await deployAgent(shared(), tarball, {
      environment: [...environment, { name: 'KNOWN', value: 'is known' }],
    });
    const { env } = await seenBy(program.url(name));
    expect(env).toMatchObject({ KNOWN: 'is known' });
    const said = warnings.join('\n');
    for (const missing of names) expect(said).toContain(JSON.stringify(missing));
    expect(said).not.toMatch(/KNOWN|value of/);
  });
});
