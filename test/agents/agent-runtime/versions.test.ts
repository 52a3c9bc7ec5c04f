import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { DURABLE_PACKAGES } from '../../../lib/builds/versions.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { isBrief } from '../../support/run/brief.ts';
import { until } from '../../support/until.ts';
import { ask, newProject, pythonWith, type ServerOptions, startAgentServer } from './agent-server.ts';

const processes = new ProcessSupervisor();
let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres(processes);
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
});

const INPUT = { steps: [], messages: [] };
const output = z.object({ steps: z.array(z.string()) });
const runView = z.object({ thread_id: z.string(), run_id: z.string().optional(), status: z.string() });

/** Versions of langgraph that a build may find, the newest of each series, and whether runs stop between steps. */
const versions: [version: string, canStop: boolean][] = [
  ['1.0.*', false],
  ['1.1.*', false],
  ['1.2.*', true],
];

// The newest runs in all other tests of this folder.
describe.each(isBrief ? versions.slice(0, 1) : versions)('langgraph %s', (version, canStop) => {
  test('asks, is answered, and hands its runs back when its server stops', async () => {
    const packages = [
      ...DURABLE_PACKAGES.filter((one) => !one.startsWith('langgraph>')),
      `langgraph==${version}`,
    ];
    const venv = await pythonWith(processes, `langgraph-${version.replace('.*', '')}`, packages);
    const folder = await newProject(processes, undefined, venv);
    const stepsFile = join(folder, 'steps.txt');
    await writeFile(stepsFile, '');
    const environment = { STEPS_FILE: stepsFile, STEP_SECONDS: '0.02' };
    const options: ServerOptions = { folder, databaseUri: await postgres.freshDatabase(), environment };
    let server = await startAgentServer(processes, options);
    const post = async (path: string, body: object) =>
      JSON.parse((await ask(server, 'POST', path, body)).text);
    const newThread = async () =>
      z.object({ thread_id: z.string() }).parse(await post('/threads', {})).thread_id;

    const asked = await newThread();
    const first = await post(`/threads/${asked}/runs/wait`, { assistant_id: 'human', input: INPUT });
    expect(first).toMatchObject({ steps: ['s1'], __interrupt__: [{ value: 'ok?' }] });
    const body = { assistant_id: 'human', command: { resume: 'yes' } };
    const answered = output.parse(await post(`/threads/${asked}/runs/wait`, body));
    expect(answered.steps).toEqual(['s1', 'approve:yes', 'paid']);

    const thread = await newThread();
    const hold = `${stepsFile}.hold-s4`;
    await writeFile(hold, '');
    const run = runView.parse(await post(`/threads/${thread}/runs`, { assistant_id: 'steps', input: INPUT }));
    const lines = () => readFileSync(stepsFile, 'utf8').split('\n');
    const ran = () => lines().flatMap((line) => (line.startsWith(thread) ? [line.split(' ')[1]] : []));
    await until(() => ran().includes('s4'), { what: () => `step s4 to run, after ${ran().join(', ')}` });
    const before = server;
    const stopped = processes.stop(server.group, 60_000);
    await until(async () => !(await fetch(`${server.url}/ready`).catch(() => undefined))?.ok, {
      what: 'the server to stop taking requests',
    });
    await rm(hold);
    await stopped;
    expect(await server.group.exited).toMatchObject({ code: 0 });
    server = await startAgentServer(processes, options);
    const path = `/threads/${thread}/runs/${run.run_id}`;
    await ask(server, 'GET', `${path}/join`);
    expect(runView.parse(JSON.parse((await ask(server, 'GET', path)).text)).status).toBe('success');
    const again = canStop ? [] : ['s4'];
    expect(ran()).toEqual(['s1', 's2', 's3', 's4', ...again, 's5', 's6', 's7', 's8']);
    const warned = before.lines.some((line) => line.includes('cannot stop between two steps'));
    expect(warned).toBe(!canStop);
    await processes.stop(server.group, 0);
    await rm(folder, { recursive: true, force: true });
  });
});
