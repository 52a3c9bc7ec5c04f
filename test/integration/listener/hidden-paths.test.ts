import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { completionOf, deploy, scriptTarball, specOf } from './listener-program.ts';
import { type SharedListener, sharedListener } from './shared-listener.ts';

const SAYS_WHERE = `console.log('I am at', process.cwd(), __filename, process.env.HOME + '/.npmrc');`;

/** All that a client may read of a deployment: log lines, how tasks ended, what is reported of it. */
function readOf({ controlPlane }: SharedListener, deploymentId: string, taskId?: string): string {
  const ended = controlPlane.completed.filter(({ task_id }) => task_id === taskId);
  const lines = taskId === undefined ? [] : controlPlane.taskLinesOf(taskId);
  const reports = controlPlane.reports.filter(({ deployment_id }) => deployment_id === deploymentId);
  return JSON.stringify([ended, lines, controlPlane.agentLinesOf(deploymentId), reports]);
}

describe('nothing that a client reads of an agent holds a path of this machine', () => {
  const shared = sharedListener();
  const expectNoPaths = (read: string) => {
    for (const path of [shared().program.dataFolder, `${homedir()}/`, process.cwd()])
      expect(read).not.toContain(path);
  };

  it('one that fails at its start', async () => {
    const { controlPlane } = shared();
    const tarball = await scriptTarball(`${SAYS_WHERE} throw new Error(__filename)`);
    const spec = specOf(controlPlane, controlPlane.addArtifact(tarball));
    const taskId = controlPlane.offerDeploy(spec);
    expect(await completionOf(controlPlane, taskId)).toMatchObject({ outcome: 'failed' });
    const read = readOf(shared(), spec.deployment_id, taskId);
    expect(read).toMatch(/I am at \. \.\/main\.cjs ~\/\.npmrc.*Error: \.\/main\.cjs/);
    expectNoPaths(read);
  });

  it('one that cannot be started again', async () => {
    const { controlPlane, program } = shared();
    const breaks = `const fs = require('node:fs'); require('node:http').createServer((request, response) => {
      if (request.url !== '/break') return response.end('ok');
      const revisions = require('node:path').dirname(process.cwd());
      fs.rmSync(revisions, { recursive: true }); fs.writeFileSync(revisions, ''); process.exit(3);
    }).listen(process.env.PORT, '127.0.0.1');`;
    const spec = await deploy(controlPlane, await scriptTarball(breaks));
    await fetch(program.url(spec.deployment_name, '/break')).catch(() => undefined);
    const reasons = () =>
      controlPlane.reports
        .filter(({ deployment_id: id }) => id === spec.deployment_id)
        .map(({ reason }) => reason);
    await until(() => reasons().some((reason) => (reason ?? '').includes('ENOTDIR')), {
      what: 'the report that it cannot be started again',
    });
    expectNoPaths(readOf(shared(), spec.deployment_id));
  });
});
