import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  type ListenerProgram,
  specOf,
  startProgram,
  WAIT,
} from './listener-program.ts';

async function serves(program: ListenerProgram, version: string): Promise<void> {
  await until(
    async () => {
      const response = await fetch(program.url('hello')).catch(() => undefined);
      const body: unknown = response?.ok ? await response.json() : undefined;
      return typeof body === 'object' && body !== null && 'version' in body && body.version === version;
    },
    { ...WAIT, what: `${version} to be served` },
  );
}

describe('the process listener when something dies', { timeout: 30_000 }, () => {
  it('serves on the same URL after a restart, from desired and spec', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    await deploy(controlPlane, await helloTarball('v1'), {
      environment: [{ name: 'GREETING', value: 'kept-nowhere-on-disk' }],
    });
    expect(await program.end('SIGTERM')).toBe(0);
    expect(await program.serverPids()).toEqual([]);
    program.start();
    await serves(program, 'v1');
    expect(await (await fetch(program.url('hello'))).json()).toMatchObject({
      greeting: 'kept-nowhere-on-disk',
    });
  });

  it('takes its servers with it when it is killed, and brings them back', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    await deploy(controlPlane, await helloTarball('v1'));
    expect(await program.serverPids()).toHaveLength(1);
    await program.end('SIGKILL');
    await until(async () => (await program.serverPids()).length === 0, {
      timeoutMs: 5000,
      what: 'the warden to end the servers',
    });
    program.start();
    await serves(program, 'v1');
  });

  it('finishes a task that was under way when it was killed', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const slow = (text: string) =>
      text.replace('server.listen(Number', 'await delay(500);\nserver.listen(Number');
    const deployed = deploy(controlPlane, await helloTarball('v1', slow));
    await until(async () => (await program.serverPids()).length > 0, {
      ...WAIT,
      what: 'the server to start',
    });
    await program.end('SIGKILL');
    program.start();
    await deployed;
    await serves(program, 'v1');
    expect(controlPlane.completed).toHaveLength(1);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'reports the end of a task that was cancelled while it was away after %s, under a lease it never heard of',
    async (signal) => {
      const controlPlane = await new FakeControlPlane().start();
      const program = await startProgram(controlPlane);
      const never = (text: string) => text.replace('server.listen(', '(() => setInterval(() => {}, 1000))(');
      const artifact = controlPlane.addArtifact(await helloTarball('v1', never));
      const taskId = controlPlane.offerDeploy(specOf(controlPlane, artifact));
      await until(async () => (await program.serverPids()).length > 0, {
        ...WAIT,
        what: 'the server to start',
      });
      await program.end(signal);
      controlPlane.renewUnheard(taskId);
      controlPlane.cancel(taskId);
      program.start();
      expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'stopped' });
      expect(controlPlane.problems).toEqual([]);
    },
  );

  it('ends with its parent when it is asked to', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane, ['--parent-pipe']);
    await deploy(controlPlane, await helloTarball('v1'));
    program.stdin?.end();
    expect(await program.exited()).toBe(0);
    expect(await program.serverPids()).toEqual([]);
  });

  it('restarts a crashed server, holds requests meanwhile, and says so', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    await deploy(controlPlane, await helloTarball('v1'));
    const [pid] = await program.serverPids();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await until(() => controlPlane.reports.some((report) => !report.healthy), { ...WAIT, what: 'a report' });
    // Asked while nothing serves: held, then answered by the new server.
    const response = await fetch(program.url('hello'));
    expect(response.status).toBe(200);
    await until(() => controlPlane.reports.at(-1)?.healthy === true, { ...WAIT, what: 'a healthy report' });
    const unhealthy = controlPlane.reports.find((report) => !report.healthy);
    expect(unhealthy?.reason).toBe('the server was ended by SIGKILL');
    await until(
      () => controlPlane.agentLines.some((line) => line.message.includes('it is started again in')),
      {
        ...WAIT,
        what: 'a deploy log line',
      },
    );
  });

  it('refuses a second listener on the same data folder', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    await deploy(controlPlane, await helloTarball('v1'));
    const { ListenerProgram: Program } = await import('./listener-program.ts');
    const second = new Program(controlPlane, program.dataFolder, 0);
    second.start();
    expect(await second.exited()).toBe(1);
    expect(second.output.join('')).toMatch(/Another listener \(pid \d+\) is running/);
    await serves(program, 'v1');
  });

  it('stops within its time though a server ignores SIGTERM', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const deaf = (text: string) => text.replace('if (stopping) return;', 'return;');
    await deploy(controlPlane, await helloTarball('v1', deaf));
    const begin = Date.now();
    expect(await program.end('SIGHUP')).toBe(0);
    expect(Date.now() - begin).toBeLessThan(8000);
    expect(await program.serverPids()).toEqual([]);
  });

  it('passes a connection upgrade through', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const echo = (text: string) =>
      text.replace(
        '// Stop accepting',
        "server.on('upgrade', (q, s) => { s.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n'); s.pipe(s); });\n// Stop accepting",
      );
    await deploy(controlPlane, await helloTarball('v1', echo));
    const socket = connect(program.agentsPort, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.write('GET /d/hello/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    await until(() => received.includes('101 Switching Protocols'), { ...WAIT, what: 'the upgrade' });
    socket.write('ping-pong');
    await until(() => received.endsWith('ping-pong'), { ...WAIT, what: 'the echo' });
    socket.destroy();
  });
});
