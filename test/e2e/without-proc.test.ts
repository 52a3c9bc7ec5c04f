import { expect, it } from 'vitest';
import { SOURCE_VARIABLE } from '../../lib/processes/table/source.ts';
import { gitRepository } from '../support/files/git-repository.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import { stillRunning } from '../support/programs/processes.ts';
import {
  create,
  deployed,
  endProgram,
  familyOf,
  helloFrom,
  startProgram,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** As on macOS: processes and their ports are told by `ps` and `lsof`. */
const environment = { [SOURCE_VARIABLE]: 'ps' };

it('without /proc the program deploys, ends what it started when it is killed, and serves again', async () => {
  const { url } = await gitRepository(await helloFiles());
  const first = await startProgram({ environment });
  expect(first.output()).toContain('Processes are found with `ps` here:');
  const deployment = await deployed(first, await create(first, 'hello', url));
  expect(await helloFrom(deployment)).toMatchObject({ version: 'v1' });
  const family = await familyOf(first);
  expect(family.length).toBeGreaterThan(3);
  await first.killAlone();
  await until(() => stillRunning(family).length === 0, {
    what: () =>
      `its processes to end: ${stillRunning(family)
        .map(({ command }) => command)
        .join(', ')}`,
  });
  const second = await startProgram({ environment, dataFolder: first.dataFolder });
  const isServed = async () => (await helloFrom(deployment).catch(() => undefined))?.version === 'v1';
  await until(isServed, { what: 'the deployment to be served again' });
  expect(await endProgram(second)).toEqual([]);
});
