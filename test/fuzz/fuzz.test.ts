import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writtenPath } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { root } from '../aws/emulator.ts';
import { endProgram, type Program, startProgram } from '../support/programs/program.ts';
import { say, timed } from '../support/run/progress.ts';
import { keepTasks, makeFixtures } from './fixtures.ts';
import { type Asked, checkDescription, fuzz, install } from './schemathesis.ts';

const processes = new ProcessSupervisor();
let folder: string;
let program: Program;
let asked: Map<string, Asked>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-fuzz-'));
  await timed('The fuzzer is installed', () => install(processes));
  // What is made up is no repository; nobody waits for its builds.
  program = await startProgram({ environment: { SLIPWAY_BUILD_SECONDS: '5' } });
  const names = await makeFixtures(program);
  const ended = new AbortController();
  keepTasks(program, names, ended.signal);
  const ask = { url: program.baseUrl, folder, names };
  asked = await timed('The API is asked', () => fuzz(processes, ask, say)).finally(() => ended.abort());
}, 1_800_000);
afterAll(async () => {
  expect(await endProgram(program)).toEqual([]);
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

it('the description is valid by the rules of OpenAPI', async () => {
  await expect(checkDescription(processes, join(root, 'docs/openapi.json'))).resolves.toContain('OK');
});

/** All but the description itself, which is read to begin with. */
const operations = routes
  .filter(({ operation }) => operation !== 'getOpenApi')
  .map(({ operation, method, path }) => [operation, `${method} ${writtenPath(path)}`] as const);

it.each(operations)('%s keeps to its description', (_, label) => {
  const { requests, problems } = asked.get(label) ?? { requests: 0, problems: [] };
  expect(problems).toEqual([]);
  expect(requests).toBeGreaterThan(0);
});

it('what is asked in a row keeps to the description', () => {
  const others = [...asked].filter(
    ([label]) => !routes.some(({ method, path }) => label === `${method} ${writtenPath(path)}`),
  );
  expect(others.flatMap(([, { problems }]) => problems)).toEqual([]);
  expect(others.map(([label]) => label)).toEqual(['Stateful tests']);
});

it('the program has logged no error', () => {
  expect(program.output().match(/.*ERROR.*/g) ?? []).toEqual([]);
});
