import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { startTestPostgres, type TestPostgres } from '../../support/programs/postgres.ts';
import { run } from '../../support/programs/python-tools.ts';
import { newProject, startAgentServer } from './agent-server.ts';
import { devPython, startDev } from './dev-server.ts';
import { differencesOf } from './differences.ts';

const script = fileURLToPath(new URL('conformance', import.meta.url));
const page = fileURLToPath(new URL('../../../docs/runtime.md', import.meta.url));
const processes = new ProcessSupervisor();
let postgres: TestPostgres;
let folder: string;
let python: string;

beforeAll(async () => {
  [postgres, folder, python] = await Promise.all([
    startTestPostgres(processes),
    newProject(processes),
    devPython(processes),
  ]);
});
afterAll(async () => {
  await processes.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

type Seen = Record<string, unknown>;

/** What the official SDK sees of a server, by flow. */
async function seenOf(url: string, name: string, args: readonly string[]): Promise<Seen> {
  const file = join(folder, `${name}.json`);
  const environment = { PYTHONDONTWRITEBYTECODE: '1' };
  await run(processes, join(python, 'bin/python'), [script, url, file, ...args], { environment });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** What it sees of both servers of a project. */
async function seenOfBoth(configFile: string, args: readonly string[]): Promise<[theirs: Seen, ours: Seen]> {
  const databaseUri = await postgres.freshDatabase();
  const [dev, ours] = await Promise.all([
    startDev(processes, { python, folder, configFile }),
    startAgentServer(processes, { folder, databaseUri, configFile }),
  ]);
  return Promise.all([
    seenOf(dev.url, `dev-${configFile}`, args),
    seenOf(ours.url, `ours-${configFile}`, args),
  ]);
}

/** The places of the table in the page, which has a reason for each. `*` stands for any part of a place. */
function knownPlaces(): RegExp[] {
  const [, section = ''] = readFileSync(page, 'utf8').split('## Differences from `langgraph dev`');
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z_*.0-9]+)` \|/gm);
  return [...rows].map(
    ([, place = '']) => new RegExp(`^${place.replaceAll('.', '\\.').replaceAll('*', '[^:]*')}(?:\\.|:)`),
  );
}

test('the official SDK sees what it sees of langgraph dev, but for what the page names', async () => {
  const [theirs, ours] = await seenOfBoth('langgraph.json', []);
  const [theirsOfUsers, oursOfUsers] = await seenOfBoth('langgraph-auth.json', ['auth']);
  const all: Seen = { ...theirs, ...theirsOfUsers };
  const seen: Seen = { ...ours, ...oursOfUsers };
  expect(Object.keys(seen)).toEqual(Object.keys(all));
  // A flow that fails at both would be the same, and prove nothing.
  const failed = Object.entries(seen).filter(([, value]) => failure.safeParse(value).success);
  expect(failed).toEqual([]);
  const known = knownPlaces();
  const differences = Object.keys(all).flatMap((flow) => differencesOf(flow, all[flow], seen[flow]));
  expect(differences.filter((line) => !known.some((place) => place.test(line)))).toEqual([]);
  expect(known.filter((place) => !differences.some((line) => place.test(line))).map(String)).toEqual([]);
});

const failure = z.object({ failed: z.string() });
