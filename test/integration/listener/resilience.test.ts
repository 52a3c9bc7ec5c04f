import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { readProcesses } from '../../support/programs/processes.ts';
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  ListenerProgram,
  listensAfter,
  specOf,
  starting,
  startProgram,
} from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

async function serves(program: ListenerProgram, deployed: DeploySpec, version: string): Promise<void> {
  await until(
    async () => {
      const response = await fetch(program.url(deployed.deployment_name)).catch(() => undefined);
      const body: unknown = response?.ok ? await response.json() : undefined;
      return typeof body === 'object' && body !== null && 'version' in body && body.version === version;
    },
    { what: `${version} to be served` },
  );
}

describe('the process listener when something dies', () => {
  const shared = sharedListener();
  beforeEach(() => {
    // One that failed may have left it ended.
    if (!shared().program.isRunning) shared().program.start();
  });
  afterEach(() => {
    // Else each start would bring back what earlier tests have deployed.
    shared().controlPlane.desired.clear();
  });

  it('serves on the same URL after a restart, from desired and spec', async () => {
    const { controlPlane, program } = shared();
    const deployed = await deploy(controlPlane, await helloTarball('v1'), {
      environment: [{ name: 'GREETING', value: 'kept-nowhere-on-disk' }],
    });
    expect(await program.end('SIGTERM')).toBe(0);
    expect(program.serverPids()).toEqual([]);
    program.start();
    await serves(program, deployed, 'v1');
    expect(await (await fetch(program.url(deployed.deployment_name))).json()).toMatchObject({
      greeting: 'kept-nowhere-on-disk',
    });
  });

  it('takes its servers with it when it is killed, and brings them back', async () => {
    const { controlPlane, program } = shared();
    const deployed = await deploy(controlPlane, await helloTarball('v1'));
    expect(program.serverPids(deployed.deployment_id)).toHaveLength(1);
    await program.end('SIGKILL');
    await until(() => program.serverPids().length === 0, {
      what: 'the warden to end the servers',
    });
    program.start();
    await serves(program, deployed, 'v1');
  });

  it('finishes a task that was under way when it was killed', async () => {
    const { controlPlane, program } = shared();
    const { spec, taskId } = await starting(shared(), await helloTarball('v1', listensAfter(500)));
    await program.end('SIGKILL');
    program.start();
    expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'succeeded' });
    await serves(program, spec, 'v1');
    expect(controlPlane.completed.filter((one) => one.task_id === taskId)).toHaveLength(1);
  });

  it('goes on with a task whose lease was renewed without its hearing of it', async () => {
    const { controlPlane, program } = shared();
    const { spec, taskId, pid } = await starting(shared(), await helloTarball('v1', listensAfter(500)));
    controlPlane.renewUnheard(taskId);
    expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'succeeded' });
    expect(program.serverPids(spec.deployment_id)).toContain(pid);
    await serves(program, spec, 'v1');
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'reports the end of a task that was cancelled while it was away after %s, under a lease it never heard of',
    async (signal) => {
      const { controlPlane, program } = shared();
      const never = (text: string) => text.replace('server.listen(', '(() => setInterval(() => {}, 1000))(');
      const { taskId } = await starting(shared(), await helloTarball('v1', never));
      await program.end(signal);
      controlPlane.renewUnheard(taskId);
      controlPlane.cancel(taskId);
      program.start();
      expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'stopped' });
    },
  );

  it('says that a task is not worked on that was claimed and cancelled without its ever hearing of it', async () => {
    const { controlPlane, program } = shared();
    await until(() => controlPlane.claimedVersion, { what: 'a claim' });
    await program.end('SIGKILL');
    const artifact = controlPlane.addArtifact(await helloTarball('v1'));
    const taskId = controlPlane.offerDeploy(specOf(controlPlane, artifact));
    controlPlane.claimUnheard(taskId);
    controlPlane.cancel(taskId);
    program.start();
    expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'stopped' });
  });

  it('restarts a crashed server, holds requests meanwhile, and says so', async () => {
    const { controlPlane, program } = shared();
    const { deployment_id: id, deployment_name: name } = await deploy(controlPlane, await helloTarball('v1'));
    const reports = () => controlPlane.reportsOf(id);
    const [pid] = program.serverPids(id);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await until(() => reports().some((report) => !report.healthy), { what: 'a report' });
    // Asked while nothing serves: held, then answered by the new server, if that starts soon enough.
    const askedAt = performance.now();
    const { status } = await fetch(program.url(name));
    if (status !== 200) expect(performance.now() - askedAt).toBeGreaterThan(5_000);
    await until(() => reports().at(-1)?.healthy === true, { what: 'a healthy report' });
    const unhealthy = reports().find((report) => !report.healthy);
    expect(unhealthy?.reason).toBe('the server was ended by SIGKILL');
    await until(
      () => controlPlane.agentLinesOf(id).some((line) => line.message.includes('it is started again in')),
      {
        what: 'a deploy log line',
      },
    );
  });

  it('serves on when the process of its proxy is killed, and tells its log', async () => {
    const { controlPlane, program } = shared();
    const deployed = await deploy(controlPlane, await helloTarball('v1'));
    const pid = program.proxyPid() ?? 0;
    process.kill(pid, 'SIGKILL');
    await serves(program, deployed, 'v1');
    expect(program.proxyPid()).not.toBe(pid);
    expect(program.output.join('')).toMatch(/the process of the proxy was ended by SIGKILL/);
    expect(program.serverPids(deployed.deployment_id)).toHaveLength(1);
  });

  it.each(['it lives', 'it hangs'])(
    'leaves its port to nobody when it is killed, whether %s',
    async (how) => {
      const { program } = shared();
      const pid = program.proxyPid() ?? 0;
      // A process that does not run does not see that its listener is gone; the warden does.
      if (how === 'it hangs') process.kill(pid, 'SIGSTOP');
      await program.end('SIGKILL');
      const isRefused = async () => {
        const asked = connect(program.agentsPort, '127.0.0.1');
        const refused = await once(asked, 'connect').catch(() => undefined);
        asked.destroy();
        return refused === undefined;
      };
      await until(isRefused, { what: 'nothing to listen at its port' });
      const isGone = () => !readProcesses().some((row) => row.pid === pid);
      await until(isGone, { what: 'the process of the proxy to be gone' });
      program.start();
      await until(async () => !(await isRefused()), { what: 'it to listen again' });
    },
  );

  it('refuses a second listener on the same data folder', async () => {
    const { controlPlane, program } = shared();
    const deployed = await deploy(controlPlane, await helloTarball('v1'));
    const second = new ListenerProgram(controlPlane, program.dataFolder, 0);
    onTestFinished(async () => void (await second.end('SIGTERM')));
    second.start();
    expect(await second.exited()).toBe(1);
    expect(second.output.join('')).toMatch(/Another listener \(pid \d+\) is running/);
    await serves(program, deployed, 'v1');
  });

  it('passes a connection upgrade through', async () => {
    const { controlPlane, program } = shared();
    const echo = (text: string) =>
      text.replace(
        '// Stop accepting',
        "server.on('upgrade', (q, s) => { s.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n'); s.pipe(s); });\n// Stop accepting",
      );
    const { deployment_name: name } = await deploy(controlPlane, await helloTarball('v1', echo));
    const socket = connect(program.agentsPort, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.write(
      `GET /d/${name}/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await until(() => received.includes('101 Switching Protocols'), { what: 'the upgrade' });
    socket.write('ping-pong');
    await until(() => received.endsWith('ping-pong'), { what: 'the echo' });
    socket.destroy();
  });
});

describe('the process listener when it is to end', () => {
  it('ends with its parent when it is asked to', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane, ['--parent-pipe']);
    await deploy(controlPlane, await helloTarball('v1'));
    program.stdin?.end();
    expect(await program.exited()).toBe(0);
    expect(program.serverPids()).toEqual([]);
  });

  it('stops within its time though a server ignores SIGTERM', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const deaf = (text: string) => text.replace('if (stopping) return;', 'return;');
    await deploy(controlPlane, await helloTarball('v1', deaf));
    expect(await program.end('SIGHUP')).toBe(0);
    expect(program.serverPids()).toEqual([]);
  });
});
