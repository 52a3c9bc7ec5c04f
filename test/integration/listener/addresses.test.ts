import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sendLines } from '../../support/http/raw-request.ts';
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import {
  completionOf,
  deploy,
  helloTarball,
  type ListenerProgram,
  scriptTarball,
  specOf,
  startProgram,
} from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

const statusFor = async (program: ListenerProgram, name: string, host: string): Promise<string> => {
  const lines = [`GET /d/${name}/ HTTP/1.1`, `Host: ${host}`, '', ''];
  return (await sendLines(program.agentsPort, lines)).slice(9, 12);
};

describe('the address that a server listens on', () => {
  const shared = sharedListener();
  const linesOf = async (tarball: Buffer) => {
    const { controlPlane } = shared();
    const taskId = controlPlane.offerDeploy(specOf(controlPlane, controlPlane.addArtifact(tarball)));
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('succeeded');
    return controlPlane.taskLinesOf(taskId).filter(({ message }) => message.includes('every address'));
  };

  it('is this machine’s own when the server asks HOST, as the example does', async () => {
    expect(await linesOf(await helloTarball('v1'))).toEqual([]);
  });

  it('is named in the deploy log when it is every one, whichever port it is', async () => {
    const open = await scriptTarball(
      'const { createServer } = require("node:http"); const { PORT, HOST } = process.env;' +
        'createServer().listen(0, () => createServer((q, s) => s.end(HOST)).listen(PORT, HOST));',
    );
    expect(await linesOf(open)).toMatchObject([
      {
        level: 'WARNING',
        message: expect.stringMatching(
          /every address of this machine \(port \d+\).*on 127\.0\.0\.1: the variable HOST/,
        ),
      },
    ]);
  });
});

/** The end of a deletion has the listener look at everything that is desired. */
const looksAtAll = (controlPlane: FakeControlPlane) =>
  completionOf(controlPlane, controlPlane.offerDelete(randomUUID(), 1));

/** Has `desired` tell this address of the deployment; undefined: nothing of it, as an older control plane. */
function setAddress(
  { desired }: FakeControlPlane,
  deploymentId: string,
  custom_url: string | null | undefined,
): void {
  const row = desired.get(deploymentId);
  if (row === undefined) throw new Error(`nothing is desired of ${deploymentId}`);
  const { custom_url: _, ...rest } = row;
  desired.set(deploymentId, { ...rest, ...(custom_url !== undefined && { custom_url }) });
}

const comesTo = (program: ListenerProgram, name: string, host: string, status: string) =>
  until(async () => (await statusFor(program, name, host)) === status, {
    what: `${status} at ${host}`,
  });

describe('the host of a deployment’s own address', () => {
  it('is answered for that deployment, also after a restart while nothing is known of it yet', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const tarball = await helloTarball('v1');
    const own = await deploy(controlPlane, tarball, { custom_url: 'https://Agent.Example/' });
    const other = await deploy(controlPlane, tarball);
    expect(await statusFor(program, own.deployment_name, 'agent.example')).toBe('200');
    // At this host it is a path like any other, which the example does not know.
    expect(await statusFor(program, other.deployment_name, 'agent.example')).toBe('404');
    expect(await statusFor(program, other.deployment_name, 'localhost')).toBe('200');
    expect(await program.end('SIGTERM')).toBe(0);
    program.output.length = 0;
    program.start();
    await until(() => program.output.join('').includes('serving agents at'), {
      what: 'the restart',
    });
    await until(async () => (await statusFor(program, own.deployment_name, 'agent.example:443')) === '200', {
      what: 'the server to answer again',
    });
    expect(await statusFor(program, own.deployment_name, 'evil.example')).toBe('421');
  });

  it('is another one without a revision once desired says so', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const tarball = await helloTarball('v1');
    const own = await deploy(controlPlane, tarball, { custom_url: 'https://one.example/' });
    const says = async (custom_url: string | null | undefined) => {
      setAddress(controlPlane, own.deployment_id, custom_url);
      await looksAtAll(controlPlane);
    };
    await says('https://two.example');
    await comesTo(program, own.deployment_name, 'two.example', '200');
    expect(await statusFor(program, own.deployment_name, 'one.example')).toBe('421');
    await says(null);
    await comesTo(program, own.deployment_name, 'two.example', '421');
    expect(await statusFor(program, own.deployment_name, 'localhost')).toBe('200');
    expect(controlPlane.completed).toHaveLength(3);
  });

  it('is learnt with the next claim, at a path of its own too', async () => {
    const controlPlane = await new FakeControlPlane().start();
    controlPlane.desiredChanges = 0;
    const program = await startProgram(controlPlane);
    const own = await deploy(controlPlane, await helloTarball('v1'));
    setAddress(controlPlane, own.deployment_id, 'http://mine.localhost:4401/team');
    controlPlane.desiredChanges = 1;
    const ask = async (path: string) =>
      (await sendLines(program.agentsPort, [`GET ${path} HTTP/1.1`, 'Host: mine.localhost', '', ''])).slice(
        9,
        12,
      );
    await until(async () => (await ask('/team/ok')) === '200', { what: 'an answer at the address' });
    expect([await ask('/team'), await ask('/nothing')]).toEqual(['200', '404']);
    expect(controlPlane.completed).toHaveLength(1);
  });

  it('is known after a restart as desired said it last', async () => {
    const controlPlane = await new FakeControlPlane().start();
    const program = await startProgram(controlPlane);
    const tarball = await helloTarball('v1');
    const own = await deploy(controlPlane, tarball, { custom_url: 'https://one.example/' });
    setAddress(controlPlane, own.deployment_id, 'https://two.example');
    await looksAtAll(controlPlane);
    await comesTo(program, own.deployment_name, 'two.example', '200');
    expect(await program.end('SIGTERM')).toBe(0);
    // Nothing else tells it.
    setAddress(controlPlane, own.deployment_id, undefined);
    controlPlane.specs.delete(own.deployment_id);
    program.output.length = 0;
    program.start();
    await until(() => program.output.join('').includes('serving agents at'), {
      what: 'the restart',
    });
    expect(await statusFor(program, own.deployment_name, 'one.example')).toBe('421');
    expect(await statusFor(program, own.deployment_name, 'two.example')).toBe('503');
  });
});
