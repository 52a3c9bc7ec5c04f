import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writtenPath } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { childEnvironment } from '../../lib/processes/environment.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { root } from '../aws/emulator.ts';
import { endProgram, type Program, startProgram } from '../support/programs/program.ts';
import { installPython, run } from '../support/programs/python-tools.ts';
import { isBrief } from '../support/run/brief.ts';
import { say, timed } from '../support/run/progress.ts';
import { keepTasks, makeFixtures } from './fixtures.ts';

/** Another version asks other questions. */
const packages = ['schemathesis==4.32.5', 'openapi-spec-validator==0.9.0'];
/** Kept between runs: making it takes longer than some of the tests. */
const installation = join(root, 'node_modules/.cache/slipway-fuzz', packages.join('_'));

/** How often each operation is asked in each way by a brief run. */
const BRIEF_EXAMPLES = 8;

/** What is left for people to look at. */
const results = join(root, 'test-results/fuzz');

/** Installs the tools, once. */
const install = (processes: ProcessSupervisor): Promise<void> =>
  installPython(processes, installation, packages);

/** Throws what is wrong with a description by the rules of OpenAPI 3.1. */
const checkDescription = (processes: ProcessSupervisor, file: string): Promise<string> =>
  run(processes, join(installation, 'bin/openapi-spec-validator'), [file]);

/** The settings beside this file, with what they name: keys and ids of this run. */
async function settingsWith(names: Record<string, string>): Promise<string> {
  const text = await readFile(new URL('schemathesis.toml', import.meta.url), 'utf8');
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined) throw new Error(`schemathesis.toml names ${name}, which this run has not`);
    return value;
  });
}

/** How one operation was asked: how often, and what is wrong with it. */
type Asked = { requests: number; problems: string[] };

/**
 * Asks the API at `url` everything that its description allows and much that it forbids, as
 * `schemathesis.toml` says, and tells what came of it by operation (`GET /ok`). Throws when the tool itself
 * failed.
 */
async function fuzz(
  processes: ProcessSupervisor,
  { url, folder, names }: { url: string; folder: string; names: Record<string, string> },
  onLine: (line: string) => void,
): Promise<Map<string, Asked>> {
  const [config, report] = [join(folder, 'schemathesis.toml'), join(results, 'schemathesis.ndjson')];
  await mkdir(results, { recursive: true });
  await writeFile(config, await settingsWith(names));
  const reports = ['--report', 'ndjson', '--report-ndjson-path', report];
  // Other questions than in every run.
  const seed = process.env.FUZZ_SEED === undefined ? [] : ['--seed', process.env.FUZZ_SEED];
  const fewer = isBrief ? ['--max-examples', String(BRIEF_EXAMPLES)] : [];
  const group = processes.start({
    command: join(installation, 'bin/schemathesis'),
    args: [
      '--config-file',
      config,
      'run',
      `${url}/openapi.json`,
      '--no-color',
      ...reports,
      ...seed,
      ...fewer,
    ],
    cwd: folder,
    environment: childEnvironment(),
    onLine: ({ line }) => onLine(line),
  });
  const { code, error = '' } = await group.exited;
  await processes.stop(group, 0);
  if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${code} ${error}`);
  const asked = outcomes(await readFile(report, 'utf8'));
  const hasFound = [...asked.values()].some(({ problems }) => problems.length > 0);
  if (hasFound !== (code === 1))
    throw new Error(`schemathesis ended with ${code}, and its report says otherwise`);
  return asked;
}

/** The parts of a report's events that are read. */
type Event = {
  ScenarioFinished?: { recorder: Recorder };
  NonFatalError?: { label: string; value: { message?: string } };
};
type Recorder = {
  label: string;
  /** Absent where nothing was asked. */
  interactions?: Record<string, unknown>;
  checks?: Record<
    string,
    { name: string; status: string; failure_info?: { failure?: { message?: string } } }[]
  >;
};

function outcomes(report: string): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  const of = (label: string): Asked => {
    const known = asked.get(label) ?? { requests: 0, problems: [] };
    asked.set(label, known);
    return known;
  };
  for (const line of report.trim().split('\n')) {
    const { ScenarioFinished: finished, NonFatalError: failed } = JSON.parse(line) as Event;
    if (failed !== undefined)
      of(failed.label).problems.push(failed.value.message ?? 'an error of the fuzzer');
    if (finished === undefined) continue;
    const { label, interactions, checks } = finished.recorder;
    const known = of(label);
    known.requests += Object.keys(interactions ?? {}).length;
    for (const { name, status, failure_info: info } of Object.values(checks ?? {}).flat())
      if (status === 'failure') known.problems.push(`${name}: ${info?.failure?.message ?? status}`);
  }
  return asked;
}

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
