import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CountsRow, MinuteCounts } from '../../../lib/contract/deployments/counts.ts';
import { mergeAll } from '../../../lib/domain/metrics/merge.ts';
import { until } from '../../support/until.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { deploy, helloTarball, type ListenerProgram, startProgram } from './listener-program.ts';

/** Its requests, each as often as it was answered. */
function asking(program: ListenerProgram, name: string) {
  let answered = 0;
  const ask = async (): Promise<number | undefined> => {
    const response = await fetch(program.url(name)).catch(() => undefined);
    if (response === undefined) return undefined;
    await response.bytes();
    answered += 1;
    return response.status;
  };
  const served = () =>
    until(async () => (await ask()) === 200, { what: () => `${name} to serve: ${program.output.join('')}` });
  return { ask, served, answered: () => answered };
}

const together = (rows: Iterable<CountsRow>): MinuteCounts => mergeAll([...rows], 'times') ?? {};

/** What the listener keeps of minutes that nobody has taken. */
function kept({ dataFolder }: ListenerProgram): CountsRow[] {
  const file = join(dataFolder, 'counts.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).rows : [];
}

it('a listener that is killed loses no minute that was over, and one that is stopped nothing', async () => {
  const controlPlane = await new FakeControlPlane().start();
  const program = await startProgram(controlPlane);
  const spec = await deploy(controlPlane, await helloTarball('v1'));
  const { ask, served, answered } = asking(program, spec.deployment_name);
  controlPlane.takesCounts = false;
  for (let n = 0; n < 40; n += 1) expect(await ask()).toBe(200);
  const [pid = 0] = program.serverPids(spec.deployment_id);
  process.kill(pid, 'SIGSEGV');
  await until(() => program.serverPids(spec.deployment_id).some((one) => one !== pid), {
    what: 'another server',
  });
  await served();

  // What it has counted of a minute that is not over goes on where it stood.
  await program.end('SIGTERM');
  program.start();
  await served();
  for (let n = 0; n < 10; n += 1) expect(await ask()).toBe(200);
  await until(() => together(kept(program)).requests?.all === answered(), {
    what: () => `the minute to be over: ${JSON.stringify(kept(program))}`,
  });

  await program.end('SIGKILL');
  controlPlane.takesCounts = true;
  program.start();
  const told = () => together(controlPlane.counts.values());
  await until(() => told().requests?.all === answered(), { what: () => JSON.stringify(told()) });
  expect(told()).toMatchObject({
    requests: { all: answered(), '2xx': answered(), failed: 0 },
    restarts: [{ reason: 'SIGSEGV', count: 1 }],
    servers_wanted: 1,
  });
  expect(told().memory_bytes).toBeGreaterThan(10 * 1024 * 1024);
  expect(told().cpu_cores).toBeGreaterThan(0);
  await until(() => kept(program).length === 0, { what: 'nothing to wait any more' });
  expect(controlPlane.problems).toEqual([]);
  for (const row of controlPlane.counts.values())
    expect([row.deployment_id, row.revision_id]).toEqual([spec.deployment_id, spec.revision_id]);
});
