import { join } from 'node:path';
import { expect, it } from 'vitest';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { freePort } from '../../lib/processes/free-port.ts';
import { say } from '../support/run/progress.ts';
import { until } from '../support/until.ts';
import { awsEnvironment } from './aws-environment.ts';
import { root } from './emulator.ts';
import { storeFolder, type Tour } from './tour.ts';

const END_GRACE_MS = 120_000;

/** The last of the three commands of README's "Deploy to AWS". */
export function firstAgentTests(at: () => Tour): void {
  it('goes from an empty installation to an agent that answers, with one command', async () => {
    const { ground, slipway } = at();
    const lines: string[] = [];
    const place = ['--table', slipway.tableName, '--url', slipway.baseUrl];
    const own = ['--agents-port', String(await freePort()), '--listener-dir', join(ground.folder, 'first')];
    const group = ground.processes.start({
      command: process.execPath,
      args: [join(root, 'bin/slipway.ts'), 'first-agent', ...place, ...own],
      cwd: root,
      environment: childEnvironment({ ...awsEnvironment, AWS_ENDPOINT_URL: ground.emulator.endpoint }),
      onLine: ({ line }) => {
        lines.push(line);
        say(`first-agent: ${line}`);
      },
    });
    const build = await slipway.builds.take();
    const job = await slipway.builds.takeJob(build);
    const { url } = job.source as { url: string }; // a tarball's, see build-job.ts
    const source = Buffer.from(await (await fetch(url)).arrayBuffer());
    await slipway.builds.succeed(build, await storeFolder(job, source));
    const address = await until(
      () => lines.map((line) => /^It answers: (http.+)$/.exec(line)?.[1]).find(Boolean),
      {
        what: 'the first agent to answer',
      },
    );
    expect(await (await fetch(address)).json()).toMatchObject({ version: 'v1' });
    const startedAt = performance.now();
    await ground.processes.stop(group, END_GRACE_MS);
    expect(performance.now() - startedAt).toBeLessThan(END_GRACE_MS);
    expect(await group.exited).toMatchObject({ code: 0 });
  });
}
