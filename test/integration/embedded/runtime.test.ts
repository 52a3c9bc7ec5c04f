import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { api, compileCache, discard, type Program, startProgram } from '../../support/programs/program.ts';
import { until } from '../../support/until.ts';

/** A start that is to fail: how it ended and what it said. */
async function failingStart(environment: Record<string, string>): Promise<{ code: unknown; output: string }> {
  const program = fileURLToPath(new URL('../../../bin/local.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: childEnvironment({ NODE_COMPILE_CACHE: compileCache, ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code]: unknown[] = await once(child, 'close');
  return { code, output: output.trim() };
}

const listeners = z.object({ resources: z.array(z.object({ status: z.string() })) });

const auditEvents = z.object({ resources: z.array(z.object({ request_id: z.string().nullable() })) });

/** How often the listener has said that it serves. */
const timesServing = (program: Program): number =>
  program.output().split('listener: serving agents').length - 1;
const serving = (program: Program, times: number) =>
  until(() => timesServing(program) >= times, { what: 'the listener' });

describe('the runtime', () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram();
  });
  afterAll(() => discard(program));

  it('has in its audit who was refused', async () => {
    const { status, headers } = await fetch(`${program.baseUrl}/v2/listeners`);
    expect(status).toBe(401);
    const isThere = async () => {
      const { body } = await api(program, 'GET', '/v2/audit-events?action=request.refuse');
      return auditEvents
        .parse(body)
        .resources.some((event) => event.request_id === headers.get('x-request-id'));
    };
    await until(isThere, { what: 'the refusal in the audit' });
  });

  it('answers, knows its first key, and shows what a person needs', async () => {
    expect((await fetch(`${program.baseUrl}/v2/deployments`)).status).toBe(401);
    const list = await api(program, 'GET', '/api-host/v2/deployments');
    expect(list).toMatchObject({ status: 200, body: { resources: [], offset: 0 } });
    expect((await api(program, 'GET', '/nothing')).status).toBe(404);
    expect((await api(program, 'PUT', '/v2/deployments')).headers.get('allow')).toContain('POST');
    await until(() => program.output().includes('One trust domain'), {
      what: 'the banner',
    });
    expect(program.output()).toContain(program.baseUrl);
    expect(program.output()).toContain(program.apiKey);
    const isOnline = async () => {
      const { body } = await api(program, 'GET', '/v2/listeners');
      return listeners.parse(body).resources[0]?.status === 'ONLINE';
    };
    expect(await until(isOnline, { what: 'its listener' })).toBe(true);
  });

  it('is the same after it was killed, and ends what it had left alive', async () => {
    const first = program;
    await serving(first, 1);
    const before = (await first.alive()).map(({ pid }) => pid);
    await first.killAlone();
    program = await startProgram({ dataFolder: first.dataFolder });
    const second = program;
    await serving(second, 1);
    expect([second.tenantId, second.apiKey]).toEqual([first.tenantId, first.apiKey]);
    expect((await api(second, 'GET', '/v2/deployments')).status).toBe(200);
    const now = (await second.alive()).map(({ pid }) => pid);
    expect(now.filter((pid) => before.includes(pid))).toEqual([]);
    expect(now.length).toBe(before.length);
  });
});

describe('a start that cannot be', () => {
  it('on a port that is taken says so', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { code, output } = await failingStart({ PORT: port, SLIPWAY_DATA_DIR: await temporaryFolder() });
    expect(code).toBe(1);
    expect(output).toBe(`Port ${port} is in use by another program. Choose another one with PORT.`);
  });

  it('with a wrong variable names it', async () => {
    const { code, output } = await failingStart({ PORT: 'abc' });
    expect(code).toBe(1);
    expect(output).toBe("PORT must be a whole number from 0 to 65535, not 'abc'.");
  });
});
