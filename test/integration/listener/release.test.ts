import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OutputThread } from '../../../lib/compute/process/output/output-thread.ts';
import { runRelease } from '../../../lib/compute/process/release.ts';
import { startOf } from '../../../lib/compute/process/start-line.ts';
import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';
import { createLog } from '../../../lib/listener/log.ts';
import type { ShippedLine } from '../../../lib/listener/waiting-lines.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { completionOf, specOf, starting, tarballOf } from './listener-program.ts';
import { sharedListener } from './shared-listener.ts';

const log = createLog('error', () => undefined);

const SERVER = `require('http').createServer((request, response) => response.end('v'))
  .listen(process.env.PORT, process.env.HOST)`;

/** An artifact whose build has found this release line in its Procfile. */
const tarballWith = (release: string) =>
  tarballOf({
    'main.cjs': SERVER,
    '.slipway-start.json': JSON.stringify({ folder: '.', line: 'node main.cjs', from: 'x', release }),
  });

describe('the release line of a Procfile', () => {
  const shared = sharedListener();
  const offer = async (release: string, rest: Partial<DeploySpec> = {}) => {
    const { controlPlane } = shared();
    const spec = specOf(controlPlane, controlPlane.addArtifact(await tarballWith(release)), rest);
    const taskId = controlPlane.offerDeploy(spec);
    return { spec, taskId, completed: await completionOf(controlPlane, taskId) };
  };

  it('runs once before the server starts, with its variables, and not when that is started again', async () => {
    const { controlPlane, program } = shared();
    const file = join(await temporaryFolder(), 'runs');
    const environment = [{ name: 'FILE', value: file }];
    const { spec, taskId, completed } = await offer('echo "run $HOST" >>"$FILE"; echo migrated', {
      environment,
    });
    expect(completed.outcome).toBe('succeeded');
    const said = controlPlane.taskLinesOf(taskId).map(({ message }) => message);
    expect(said.slice(0, 3)).toEqual([
      'Running the release line of the Procfile.',
      expect.stringMatching(/^The release line ended well after \d+ ms\.$/),
      expect.stringMatching(/^Starting x on port/),
    ]);
    await until(
      () => controlPlane.agentLinesOf(spec.deployment_id).some(({ message }) => message === 'migrated'),
      { what: 'its output' },
    );
    const [first] = program.serverPids(spec.deployment_id);
    process.kill(first ?? 0, 'SIGKILL');
    await until(() => program.serverPids(spec.deployment_id).some((pid) => pid !== first), {
      what: 'the server to be started again',
    });
    expect(await readFile(file, 'utf8')).toBe('run 127.0.0.1\n');
  });

  it('fails the deploy with its last lines when it fails, and what served before still does', async () => {
    const { program } = shared();
    const { spec: before } = await offer('true');
    const { deployment_id } = before;
    const environment = [{ name: 'TOKEN', value: 'a-very-secret-value' }];
    const { completed } = await offer('echo "no table, $TOKEN"; exit 3', {
      deployment_id,
      epoch: 3,
      environment,
    });
    expect(completed).toMatchObject({
      outcome: 'failed',
      previous_serving: true,
      status_message:
        'The release line of the Procfile exited with code 3, so this revision does not serve. Its last lines of output:\nno table, ***',
    });
    expect((await fetch(program.url(before.deployment_name))).status).toBe(200);
  });

  it('is told of while it runs, and ended at its limit', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const supervisor = new ProcessSupervisor();
    onTestFinished(() => supervisor.close());
    const { controlPlane } = shared();
    const spec = specOf(controlPlane, controlPlane.addArtifact(await tarballWith('true')), {
      environment: [],
    });
    const said: string[] = [];
    const shipper = { push: (_d: string, _r: string, { message }: ShippedLine) => said.push(message) };
    const output = new OutputThread({ shipper: { ...shipper, room: async () => {} }, log });
    onTestFinished(() => output.close());
    const cwd = await temporaryFolder();
    const start = startOf('true');
    const command = { start, cwd, toolFolders: [], from: 'x', release: 'echo "<$PORT>"; sleep 600' };
    const running = runRelease(
      {
        supervisor,
        spec,
        command,
        masking: { secrets: [], folders: [] },
        signal: new AbortController().signal,
        say: (text) => said.push(text),
        output,
      },
      2000,
    );
    vi.advanceTimersByTime(10_000);
    await expect(running).rejects.toThrow(
      'The release line of the Procfile was ended after 2 s, as it may take no longer, so this revision does not serve. Its last lines of output:\n<>',
    );
    expect(said).toEqual([
      'Running the release line of the Procfile.',
      expect.stringMatching(/^The release line still runs after \d+ s\.$/),
      '<>',
    ]);
  });

  it('ends with the task that is cancelled', async () => {
    const { controlPlane, program } = shared();
    const { spec, taskId } = await starting(shared(), await tarballWith('sleep 60'));
    controlPlane.cancel(taskId);
    expect((await completionOf(controlPlane, taskId)).outcome).toBe('stopped');
    expect(program.serverPids(spec.deployment_id)).toEqual([]);
    expect(existsSync(program.folderOf(spec.deployment_id))).toBe(false);
  });
});
