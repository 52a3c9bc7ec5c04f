import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { childEnvironment } from '../../../lib/processes/environment.ts';
import { freePort } from '../../../lib/processes/free-port.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { run } from '../../support/programs/python-tools.ts';
import { until } from '../../support/until.ts';
import { LANGGRAPH, newProject, pythonWith, SDK, startAgentServer } from './agent-server.ts';
import { differencesOf } from './differences.ts';

const script = fileURLToPath(new URL('conformance.py', import.meta.url));
const page = fileURLToPath(new URL('../../../docs/runtime.md', import.meta.url));
const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let python: string;

beforeAll(async () => {
  // A server of LangChain's own, which is only ever asked: its licence lets nobody look into it.
  const packages = ['langgraph-cli[inmem]==0.4.40', LANGGRAPH, SDK];
  [postgres, folder, python] = await Promise.all([
    startTestPostgres(processes),
    newProject(processes),
    pythonWith(processes, 'dev', packages),
  ]);
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startDev(): Promise<string> {
  const port = await freePort();
  const lines: string[] = [];
  const args = ['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)];
  const group = processes.start({
    command: join(python, 'bin/langgraph'),
    args: [...args, '--n-jobs-per-worker', '10'],
    cwd: folder,
    environment: childEnvironment({
      LANGGRAPH_NO_VERSION_CHECK: 'true',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      LANGSMITH_TRACING: 'false',
    }),
    onLine: ({ line }) => void lines.push(line),
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    async () => {
      if (group.exit !== undefined) throw new Error(`it ended:\n${lines.join('\n')}`);
      return (await fetch(`${url}/ok`).catch(() => undefined))?.ok;
    },
    { what: () => `langgraph dev to be ready:\n${lines.slice(-20).join('\n')}` },
  );
  return url;
}

/** What the official SDK sees of a server, by flow. */
async function seenOf(url: string, name: string): Promise<Record<string, unknown>> {
  const file = join(folder, `${name}.json`);
  await run(processes, join(python, 'bin/python'), [script, url, file]);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The places of the table in the page, which has a reason for each. `*` stands for any part of a place. */
function knownPlaces(): RegExp[] {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `([a-z_*.0-9]+)` \|/gm);
  return [...rows].map(
    ([, place = '']) => new RegExp(`^${place.replaceAll('.', '\\.').replaceAll('*', '[^:]*')}(?:\\.|:)`),
  );
}

test('the official SDK sees what it sees of langgraph dev, but for what the page names', async () => {
  const databaseUri = await postgres.freshDatabase();
  const [dev, ours] = await Promise.all([startDev(), startAgentServer(processes, { folder, databaseUri })]);
  const [theirs, seen] = await Promise.all([seenOf(dev, 'dev'), seenOf(ours.url, 'ours')]);
  expect(Object.keys(seen)).toEqual(Object.keys(theirs));
  // A flow that fails at both would be the same, and prove nothing.
  const failed = Object.entries(seen).filter(([, value]) => failure.safeParse(value).success);
  expect(failed).toEqual([]);
  const known = knownPlaces();
  const differences = Object.keys(theirs).flatMap((flow) => differencesOf(flow, theirs[flow], seen[flow]));
  expect(differences.filter((line) => !known.some((place) => place.test(line)))).toEqual([]);
  expect(known.filter((place) => !differences.some((line) => place.test(line))).map(String)).toEqual([]);
});

const failure = z.object({ failed: z.string() });
