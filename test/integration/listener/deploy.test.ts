import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { until } from '../../support/until.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  scriptTarball,
  specOf,
  starting,
  tarballOf,
} from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

const SECRET = 'a-very-secret-value';

describe('deploying on the process listener', () => {
  const shared = sharedListener();

  it('serves a deployed revision on its stable URL and ships its output', async () => {
    const { controlPlane, program } = shared();
    const environment = [
      { name: 'GREETING', value: 'hi' },
      { name: 'PORT', value: '1' },
    ];
    const artifact = controlPlane.addArtifact(await helloTarball('v1'));
    const spec = specOf(controlPlane, artifact, { environment });
    const { deployment_id: id, deployment_name: name } = spec;
    const taskId = controlPlane.offerDeploy(spec);
    const completed = await completionOf(controlPlane, taskId);

    const response = await fetch(program.url(name));
    expect(await response.json()).toMatchObject({ greeting: 'hi', version: 'v1' });
    expect((await fetch(program.url(name, '?x=1'))).status).toBe(200);
    expect((await fetch(program.url('nobody'))).status).toBe(404);
    const url = `http://localhost:${program.agentsPort}/d/${name}`;
    expect(completed).toMatchObject({ outcome: 'succeeded', url });
    expect(controlPlane.phases).toContainEqual({ task_id: taskId, phase: 'switching' });
    expect(controlPlane.claimedVersion).toBe(manifest.version);
    await until(
      () => controlPlane.agentLinesOf(id).some((line) => line.message.includes('hello-server v1 listens')),
      {
        what: 'the server line',
      },
    );
    const lines = () => controlPlane.taskLinesOf(taskId).map((line) => line.message);
    const said = await until(() => lines().at(-1)?.startsWith('timing:') && lines(), {
      what: 'the last line of the task',
    });
    expect(said.join('\n')).toMatch(/PORT of this deployment is not used/);
    expect(said.at(-1)).toMatch(/^timing: download_ms=\d+ unpack_ms=\d+ start_ms=\d+ switch_ms=\d+$/);
    await until(() => controlPlane.reportsOf(id).some((one) => one.healthy && one.epoch === 2), {
      what: 'a report under the epoch after the task',
    });
  });

  it('takes a server for ready that does not know /ok, and says so', async () => {
    const { controlPlane, program } = shared();
    const text = `require('http').createServer((request, response) => {
      console.log('GET ' + request.url);
      response.statusCode = request.url === '/' ? 200 : 404;
      response.end('mine');
    }).listen(process.env.PORT, '127.0.0.1')`;
    const files = { 'main.cjs': text, 'package.json': '{"scripts":{"start":"node main.cjs"}}' };
    const spec = specOf(controlPlane, controlPlane.addArtifact(await tarballOf(files)));
    const taskId = controlPlane.offerDeploy(spec);
    expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'succeeded' });
    expect(await (await fetch(program.url(spec.deployment_name))).text()).toBe('mine');
    const said = controlPlane.taskLinesOf(taskId).map((line) => line.message);
    expect(said.join('\n')).toContain(
      'GET /ok answers 404, so the server is taken for ready because it answers',
    );
  });

  it('loses no request and no open stream when the next revision takes over', async () => {
    const { controlPlane, program } = shared();
    const { deployment_id, deployment_name } = await deploy(controlPlane, await helloTarball('v1'));
    const stream = fetch(program.url(deployment_name, '/stream')).then((response) => response.text());
    type Answer = { status: number; version: unknown; sentAt: number; answeredAt: number };
    const answers: Answer[] = [];
    const requests: Promise<void>[] = [];
    const ask = async () => {
      const sentAt = performance.now();
      const response = await fetch(program.url(deployment_name));
      const body: unknown = await response.json();
      const version = typeof body === 'object' && body !== null && 'version' in body ? body.version : body;
      answers.push({ status: response.status, version, sentAt, answeredAt: performance.now() });
    };
    const client = setInterval(() => requests.push(ask()), 50);

    await deploy(controlPlane, await helloTarball('v2'), { deployment_id, epoch: 3 });
    const text = await stream;
    clearInterval(client);
    await Promise.all(requests);

    expect(text).toMatch(/chunk 49 of 50 from v1\nend\n$/);
    expect(new Set(answers.map(({ version }) => version))).toEqual(new Set(['v1', 'v2']));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    // Once somebody has seen the new version nobody who asks later sees the old one.
    const seenAt = answers.find(({ version }) => version === 'v2')?.answeredAt ?? 0;
    expect(answers.filter(({ version, sentAt }) => version === 'v1' && sentAt > seenAt)).toEqual([]);
    await until(() => program.serverPids(deployment_id).length === 1, {
      what: 'the old server to end',
    });
  });

  it('masks secrets in output and in the reason of a failure', async () => {
    const { controlPlane } = shared();
    const script = 'console.error("ERROR: token is " + process.env.TOKEN); process.exit(1)';
    const spec = specOf(controlPlane, controlPlane.addArtifact(await scriptTarball(script)), {
      environment: [{ name: 'TOKEN', value: SECRET }],
    });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.status_message).toContain('ERROR: token is ***');
    const line = await until(
      () => controlPlane.agentLinesOf(spec.deployment_id).find((one) => one.message.includes('token is')),
      { what: 'the line to be shipped' },
    );
    expect(line).toMatchObject({ level: 'ERROR', message: 'ERROR: token is ***' });
    const everything = JSON.stringify([
      controlPlane.taskLines,
      controlPlane.agentLines,
      controlPlane.completed,
    ]);
    expect(everything).not.toContain(SECRET);
  });

  it('refuses an image and says what would run it', async () => {
    const { controlPlane } = shared();
    const spec = specOf(controlPlane, { kind: 'image', uri: 'registry.example/agent@sha256:1' });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.outcome).toBe('failed');
    expect(completed.status_message).toMatch(/compute_type k8s/);
  });

  it('refuses an artifact that is not where it was said to be', async () => {
    const { controlPlane } = shared();
    const spec = specOf(controlPlane, { kind: 'folder', url: 'nowhere', sha256: '0'.repeat(64) });
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec));
    expect(completed.status_message).toMatch(/could not be downloaded: HTTP/);
  });

  it('stops a cancelled task', async () => {
    const { controlPlane, program } = shared();
    const never = await scriptTarball('setInterval(() => {}, 1000)');
    const { spec, taskId } = await starting(shared(), never);
    controlPlane.cancel(taskId);
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('stopped');
    expect(program.serverPids(spec.deployment_id)).toEqual([]);
  });

  it.each([
    ['is told to stop', 'stop', { outcome: 'stopped' }],
    ['is cancelled', 'cancel', { outcome: 'stopped' }],
    ['is refused', 'refuse', { outcome: 'failed', status_message: /HTTP 403 .*no switch today/ }],
  ] as const)('leaves nothing running when it %s as traffic is about to move', async (_, atSwitch, end) => {
    const { controlPlane, program } = shared();
    const spec = specOf(controlPlane, controlPlane.addArtifact(await helloTarball('v1')));
    const completed = await completionOf(controlPlane, controlPlane.offerDeploy(spec, atSwitch));
    expect(completed.outcome).toBe(end.outcome);
    if ('status_message' in end) expect(completed.status_message).toMatch(end.status_message);
    expect(program.serverPids(spec.deployment_id)).toEqual([]);
    expect((await fetch(program.url(spec.deployment_name))).status).toBe(404);
  });

  it('touches nothing further when its lease is another listener’s', async () => {
    const { controlPlane, program } = shared();
    const { spec, taskId } = await starting(shared(), await scriptTarball('setInterval(() => {}, 1000)'));
    controlPlane.takeAway(taskId);
    await until(() => program.serverPids(spec.deployment_id).length === 0, {
      what: 'the server to be stopped',
    });
    expect(controlPlane.completed.filter((one) => one.task_id === taskId)).toEqual([]);
    await until(async () => (await fetch(program.url(spec.deployment_name))).status === 404, {
      what: 'its route to go',
    });
  });

  it('removes compute that the control plane no longer lists', async () => {
    const { controlPlane, program } = shared();
    const unlisted = await deploy(controlPlane, await helloTarball('v1'));
    controlPlane.desired.delete(unlisted.deployment_id);
    const listed = await deploy(controlPlane, await helloTarball('v1'));
    await completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));
    await until(() => program.serverPids(unlisted.deployment_id).length === 0, {
      what: 'the unlisted one to end',
    });
    expect(program.serverPids(listed.deployment_id)).toHaveLength(1);
    expect((await fetch(program.url(unlisted.deployment_name))).status).toBe(404);
  });
});
