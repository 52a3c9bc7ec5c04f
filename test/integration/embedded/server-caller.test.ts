import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerCaller, ServerRequest } from '../../../lib/adapters/server-caller.ts';
import { createServerCaller } from '../../../lib/embedded/server-caller.ts';
import { askServer } from '../../../lib/features/deployments/ask-server.ts';
import { askServer as row } from '../../../lib/features/deployments/routes.ts';
import { onLoopback } from '../../support/http/loopback-server.ts';
import { ended } from '../../support/world/processed.ts';
import { github, post, refusedWith, register } from '../../support/world/requests.ts';
import { aWorld } from '../../support/world/world.ts';

/** The port of the deployed servers, with one that says what it was asked, leads elsewhere, and goes on. */
async function anAgentsPort() {
  const seen: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const gone: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ path, headers: request.headers, body });
      if (path.endsWith('/leads-away'))
        return response.writeHead(302, { location: 'http://elsewhere.example/' }).end();
      if (path.endsWith('/endless')) {
        response.on('close', () => gone.push(path));
        const timer = setInterval(() => response.write('data: more\n\n'), 5);
        return response.on('close', () => clearInterval(timer));
      }
      return response
        .writeHead(201, { 'content-type': 'text/html', 'set-cookie': 'a=1' })
        .end(`<script>alert(1)</script>${body}`);
    });
  });
  const { port, close } = await onLoopback(server);
  onTestFinished(close);
  return { port, seen, gone };
}

const textOf = (body: ReadableStream<Uint8Array>) => new Response(body).text();
const asked = (port: number, path: string, more: Partial<ServerRequest> = {}): ServerRequest => ({
  serverUrl: `http://localhost:${port}/d/it`,
  method: 'GET',
  path,
  headers: [],
  body: undefined,
  ...more,
});
const answered = async (call: ServerCaller, request: ServerRequest) => {
  const answer = await call(request);
  if (answer === 'elsewhere') throw new Error('it was not sent');
  return answer;
};

describe('a request that is passed on', () => {
  it('reaches the server as it was put together, and its answer comes back whole', async () => {
    const { port, seen } = await anAgentsPort();
    const call = createServerCaller(() => port);
    const answer = await answered(
      call,
      asked(port, '/runs?a=%2F&b', { method: 'POST', headers: [{ name: 'X-Own', value: 'v' }], body: 'ü' }),
    );
    expect([answer.status, await textOf(answer.body)]).toEqual([201, '<script>alert(1)</script>ü']);
    expect(seen).toMatchObject([{ path: '/d/it/runs?a=%2F&b', headers: { 'x-own': 'v' }, body: 'ü' }]);
  });

  it('goes to that server and to no other, whatever its path and whatever address is told', async () => {
    const { port, seen } = await anAgentsPort();
    const call = createServerCaller(() => port);
    for (const path of ['/../other/ok', '/%2e%2e/other', '/a/../../other', '/..', '/.%2E/x', '/\\..\\..\\x'])
      expect([path, await call(asked(port, path))]).toEqual([path, 'elsewhere']);
    for (const serverUrl of [
      'http://elsewhere.example/d/it',
      `http://localhost:${port + 1}/d/it`,
      'x',
      `http://localhost:${port}/`,
    ])
      expect([serverUrl, await call(asked(port, '/ok', { serverUrl }))]).toEqual([serverUrl, 'elsewhere']);
    // The port of this machine alone counts: a host that has the same one is not asked.
    await textOf(
      (await answered(call, asked(port, '/ok', { serverUrl: `http://elsewhere.example:${port}/d/it` }))).body,
    );
    await textOf((await answered(call, asked(port, '//elsewhere.example/ok'))).body);
    expect(seen.map(({ path }) => path)).toEqual(['/d/it/ok', '/d/it//elsewhere.example/ok']);
    expect(await createServerCaller(() => undefined)(asked(port, '/ok'))).toBe('elsewhere');
  });

  it('is not led on: a redirect is an answer', async () => {
    const { port, seen } = await anAgentsPort();
    const answer = await answered(
      createServerCaller(() => port),
      asked(port, '/leads-away'),
    );
    expect([answer.status, answer.headers.location]).toEqual([302, 'http://elsewhere.example/']);
    expect(seen).toHaveLength(1);
  });

  it('is answered bit by bit, to a limit, and ended when nobody reads any more', async () => {
    const { port, gone } = await anAgentsPort();
    const { body } = await answered(
      createServerCaller(() => port),
      asked(port, '/endless'),
    );
    const reader = body.getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    await expect.poll(() => gone.length, { timeout: 60_000 }).toBe(1);
    const limited = await answered(
      createServerCaller(() => port, { bytesMax: 100 }),
      asked(port, '/endless'),
    );
    await expect(textOf(limited.body)).rejects.toThrow();
    await expect.poll(() => gone.length, { timeout: 60_000 }).toBe(2);
  });

  it('says that the server does not answer', async () => {
    const { port } = await anAgentsPort();
    const call = createServerCaller(() => 9);
    const request = asked(port, '/ok', { serverUrl: 'http://localhost:9/d/it' });
    expect(await refusedWith(call(request))).toContain('503 The server');
  });
});

it('no credential of the API goes to the server, however it is written, and no cookie comes back', async () => {
  const { port, seen } = await anAgentsPort();
  const world = await aWorld();
  await register(world, 'machine');
  const { id } = await post(world, github('it'));
  await ended(world, id, 'DEPLOYED');
  // The world's listener reports a port of its own.
  const serverCaller: ServerCaller = (request) =>
    createServerCaller(() => port)({ ...request, serverUrl: request.serverUrl.replace(':4401', `:${port}`) });
  const names = [
    'X-API-KEY',
    'authorization',
    'Cookie',
    'x-tenant-id',
    'Host',
    'Proxy-Authorization',
    'Te',
    'X-Own',
  ];
  const body = row.body.parse({
    method: 'POST',
    path: '/runs',
    headers: names.map((name) => ({ name, value: 'canary' })),
  });
  const answer = await askServer(
    { ...world.deps, serverCaller },
    { params: { deployment_id: id }, body },
    world.caller,
  );
  await textOf(answer.stream);
  const received = Object.entries(seen[0]?.headers ?? {}).filter(([, value]) =>
    String(value).includes('canary'),
  );
  expect(received).toEqual([['x-own', 'canary']]);
  expect(answer.serverHeaders).not.toHaveProperty('set-cookie');
  // Whatever the server says it is, a browser is not to show it.
  expect(row.headers(answer)).toMatchObject({
    'X-Server-Status': '201',
    'X-Content-Type-Options': 'nosniff',
  });
  expect(answer.contentType).toBe('application/octet-stream');
});
