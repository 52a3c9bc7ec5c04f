import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  scriptTarball,
  specOf,
  startProgram,
  tarballOf,
  WAIT,
} from './listener-program.ts';

const SECRET = 'a-very-secret-value';

describe('deploying on the process listener', { timeout: 30_000 }, () => {
  it('serves a deployed revision on its stable URL and ships its output', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const environment = [
      { name: 'GREETING', value: 'hi' },
      { name: 'PORT', value: '1' },
    ];
    await deploy(controlPlane, await helloTarball('v1'), { environment });

    const response = await fetch(program.url('hello'));
    expect(await response.json()).toMatchObject({ greeting: 'hi', version: 'v1' });
    expect((await fetch(`http://127.0.0.1:${program.agentsPort}/d/hello?x=1`)).status).toBe(200);
    expect((await fetch(program.url('nobody'))).status).toBe(404);
    expect(controlPlane.completed[0]?.url).toBe(`http://localhost:${program.agentsPort}/d/hello`);
    expect(controlPlane.phases).toContain('switching');
    expect(controlPlane.claimedVersion).toBe(manifest.version);
    await until(
      () => controlPlane.agentLines.some((line) => line.message.includes('hello-server v1 listens')),
      {
        ...WAIT,
        what: 'the server line',
      },
    );
    const said = controlPlane.taskLines.map((line) => line.message);
    expect(said.join('\n')).toMatch(/PORT of this deployment is not used/);
    expect(said.at(-1)).toMatch(/^timing: download_ms=\d+ unpack_ms=\d+ start_ms=\d+ switch_ms=\d+$/);
    await until(() => controlPlane.reports.some((one) => one.healthy && one.epoch === 2), {
      ...WAIT,
      what: 'a report under the epoch after the task',
    });
    expect(controlPlane.problems).toEqual([]);
  });

  it('loses no request and no open stream when the next revision takes over', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const first = await deploy(controlPlane, await helloTarball('v1'));
    const stream = fetch(program.url('hello', '/stream')).then((response) => response.text());
    const statuses: number[] = [];
    const versions = new Set<unknown>();
    let going = true;
    const requests: Promise<void>[] = [];
    const client = setInterval(() => {
      if (!going) return;
      requests.push(
        fetch(program.url('hello')).then(async (response) => {
          statuses.push(response.status);
          const body: unknown = await response.json();
          versions.add(typeof body === 'object' && body !== null && 'version' in body ? body.version : body);
        }),
      );
    }, 50);

    await deploy(controlPlane, await helloTarball('v2'), { deployment_id: first.deployment_id, epoch: 3 });
    const text = await stream;
    going = false;
    clearInterval(client);
    await Promise.all(requests);

    expect(text).toMatch(/chunk 49 of 50 from v1\nend\n$/);
    expect(versions).toEqual(new Set(['v1', 'v2']));
    expect(statuses.length).toBeGreaterThan(60);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await until(async () => (await program.serverPids()).length === 1, {
      ...WAIT,
      what: 'the old server to end',
    });
  });

  it.each([
    {
      what: 'a server that exits at once',
      files: { 'main.cjs': 'console.log("boom: no database"); process.exit(3)' },
      message: /The server exited with code 3\.[^]*boom: no database/,
    },
    {
      what: 'a server that never answers /ok',
      files: {
        'main.cjs':
          'require("http").createServer((q, s) => { s.statusCode = 500; s.end() }).listen(process.env.PORT, () => console.log("still loading"))',
      },
      args: ['--start-timeout-seconds', '1.5'],
      message: /not ready within 1\.5 s: GET \/ok answers 500\.[^]*still loading/,
    },
    {
      what: 'a server that listens on nothing',
      files: { 'main.cjs': 'console.log("thinking"); setInterval(() => {}, 1000)' },
      args: ['--start-timeout-seconds', '1'],
      message: /not ready within 1 s: nothing listens on PORT=\d+\.[^]*thinking/,
    },
    {
      what: 'a server that listens on another port',
      files: {
        'main.cjs':
          'const s = require("http").createServer((q, r) => r.end("ok")).listen(0, () => console.log("here " + s.address().port))',
      },
      message: /It listens on port \d+ instead of PORT=\d+\.[^]*here \d+/,
    },
    {
      what: 'a folder with nothing to start',
      files: { 'index.html': 'hello' },
      message: /neither a "start" script in package\.json nor a "web:" line in a Procfile/,
    },
  ])('fails $what with the reason, and keeps the old one serving', async ({ files, args, message }) => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane, args);
    const first = await deploy(controlPlane, await helloTarball('v1'));
    const withPackage =
      'main.cjs' in files ? { 'package.json': '{"scripts":{"start":"node main.cjs"}}' } : {};
    const artifact = controlPlane.addArtifact(await tarballOf({ ...withPackage, ...files }));
    const bad = specOf(controlPlane, artifact, { deployment_id: first.deployment_id, epoch: 3 });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(bad));

    expect(completed).toMatchObject({ outcome: 'failed', previous_serving: true });
    expect(completed.status_message).toMatch(message);
    const [cause = ''] = (completed.status_message ?? '').split('\n');
    expect(controlPlane.taskLines.at(-1)).toMatchObject({
      level: 'ERROR',
      message: cause.replace(/ Its last lines of output:$/, ''),
    });
    expect(await (await fetch(program.url('hello'))).json()).toMatchObject({ version: 'v1' });
    expect(await program.serverPids()).toHaveLength(1);
  });

  it('masks secrets in output and in the reason of a failure', async () => {
    const controlPlane = await new FakeControlPlane().start();
    await startProgram(controlPlane);
    const script = 'console.error("ERROR: token is " + process.env.TOKEN); process.exit(1)';
    const spec = specOf(controlPlane, controlPlane.addArtifact(await scriptTarball(script)), {
      environment: [{ name: 'TOKEN', value: SECRET }],
    });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.status_message).toContain('ERROR: token is ***');
    const line = await until(() => controlPlane.agentLines.find((one) => one.message.includes('token is')), {
      ...WAIT,
      what: 'the line to be shipped',
    });
    expect(line).toMatchObject({ level: 'ERROR', message: 'ERROR: token is ***' });
    const everything = JSON.stringify([
      controlPlane.taskLines,
      controlPlane.agentLines,
      controlPlane.completed,
    ]);
    expect(everything).not.toContain(SECRET);
  });

  it('refuses an image and says what would run it', async () => {
    const controlPlane = await new FakeControlPlane().start();
    await startProgram(controlPlane);
    const spec = specOf(controlPlane, { kind: 'image', uri: 'registry.example/agent@sha256:1' });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.outcome).toBe('failed');
    expect(completed.status_message).toMatch(/compute_type k8s/);
  });

  it('refuses an artifact whose content is not what was promised', async () => {
    const controlPlane = await new FakeControlPlane().start();
    await startProgram(controlPlane);
    const artifact = controlPlane.addArtifact(await helloTarball('v1'));
    const spec = specOf(controlPlane, {
      ...artifact,
      kind: 'folder',
      url: 'nowhere',
      sha256: '0'.repeat(64),
    });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.status_message).toMatch(/could not be downloaded: HTTP/);
  });

  it('stops a cancelled task, and one that is told so before it switches', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const never = await scriptTarball('setInterval(() => {}, 1000)');
    const spec = specOf(controlPlane, controlPlane.addArtifact(never), { deployment_name: 'never' });
    const taskId = controlPlane.offerDeploy(spec);
    await until(async () => (await program.serverPids()).length > 0, {
      ...WAIT,
      what: 'the server to start',
    });
    controlPlane.cancel(taskId);
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('stopped');
    expect(await program.serverPids()).toEqual([]);

    const hello = specOf(controlPlane, controlPlane.addArtifact(await helloTarball('v1')));
    const second = controlPlane.offerDeploy(hello, { stopAtSwitch: true });
    expect((await completionOf(controlPlane, second)).outcome).toBe('stopped');
    expect(await program.serverPids()).toEqual([]);
    expect((await fetch(program.url('hello'))).status).toBe(404);
  });

  it('touches nothing further when its lease is another listener’s', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const slow = (text: string) =>
      text.replace('server.listen(Number', 'await delay(700);\nserver.listen(Number');
    const spec = specOf(controlPlane, controlPlane.addArtifact(await helloTarball('v1', slow)));
    const taskId = controlPlane.offerDeploy(spec);
    await until(async () => (await program.serverPids()).length > 0, {
      ...WAIT,
      what: 'the server to start',
    });
    controlPlane.takeAway(taskId);
    await until(async () => (await program.serverPids()).length === 0, {
      ...WAIT,
      what: 'the server to be stopped',
    });
    expect(controlPlane.completed).toEqual([]);
    await until(async () => (await fetch(program.url('hello'))).status === 404, {
      ...WAIT,
      what: 'its route to go',
    });
  });

  it('removes everything of a deleted deployment', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const { deployment_id: deploymentId } = await deploy(controlPlane, await helloTarball('v1'));
    const completed = await completionOf(controlPlane, controlPlane.offerDelete(deploymentId, 3));
    expect(completed.outcome).toBe('succeeded');
    expect(await program.serverPids()).toEqual([]);
    expect((await fetch(program.url('hello'))).status).toBe(404);
  });

  it('removes compute that the control plane no longer lists', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const one = await deploy(controlPlane, await helloTarball('v1'));
    controlPlane.desired.delete(one.deployment_id);
    await deploy(controlPlane, await helloTarball('v1'), {
      deployment_name: `other-${randomUUID().slice(0, 8)}`,
    });
    await until(async () => (await program.serverPids()).length === 1, {
      ...WAIT,
      what: 'the unlisted one to end',
    });
    expect((await fetch(program.url('hello'))).status).toBe(404);
  });
});
