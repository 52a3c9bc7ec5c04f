import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gitRepositoryIn } from '../../support/files/git-repository.ts';
import {
  create,
  deployed,
  deploymentOf,
  endProgram,
  expectApi,
  newDataFolder,
  type Program,
  patch,
  type ShownDeployment,
  startProgram,
} from '../../support/programs/program.ts';
import { until } from '../../support/until.ts';

const program = fileURLToPath(new URL('../../../bin/slipway.ts', import.meta.url));
const slipway = (...args: string[]) =>
  promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, ...environment } });
const environment = { SLIPWAY_POSTGRES_USER: 'nobody' };

/** A step that asks a person, and one that says what came of it. `name`: of all its nodes. */
const filesOf = (name: string) => ({
  'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
  'requirements.txt': 'langgraph\n',
  'agent.py': `
from typing import Annotated, TypedDict
from operator import add
from langgraph.graph import StateGraph, START, END
from langgraph.types import interrupt

class State(TypedDict):
    steps: Annotated[list[str], add]

def approve(state): return {"steps": ["${name} " + interrupt("may I?")]}
def after(state): return {"steps": ["${name} after"]}

builder = StateGraph(State)
builder.add_node("${name}_approve", approve)
builder.add_node("${name}_after", after)
builder.add_edge(START, "${name}_approve")
builder.add_edge("${name}_approve", "${name}_after")
builder.add_edge("${name}_after", END)
graph = builder.compile()
`,
});

async function ask(
  deployment: ShownDeployment,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${deployment.source_config.custom_url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** A new thread that waits for an answer. */
async function waitingThread(deployment: ShownDeployment): Promise<string> {
  const { thread_id } = await ask(deployment, '/threads', {});
  const run = { assistant_id: 'agent', input: { steps: [] } };
  expect(await ask(deployment, `/threads/${thread_id}/runs/wait`, run)).toHaveProperty('__interrupt__');
  return String(thread_id);
}

const answer = (deployment: ShownDeployment, thread: string) =>
  ask(deployment, `/threads/${thread}/runs/wait`, { assistant_id: 'agent', command: { resume: 'yes' } });

type Listeners = { resources: { version: string | null }[] };
const listenersOf = async (running: Program) =>
  (await expectApi<Listeners>(running, 'GET', '/v2/listeners', undefined, 200)).resources;

let folder: string;
const inFolder = (name: string) => join(folder, name);

/** PostgreSQL has its data elsewhere where its user may not pass through the folders above a data folder. */
const postgresOf = async (dataFolder: string): Promise<string> =>
  (await readFile(join(dataFolder, 'listener', 'postgres-folder'), 'utf8')).trim();
const elsewhere: string[] = [];

beforeAll(async () => {
  folder = await newDataFolder();
});
afterAll(async () => {
  for (const one of [folder, ...elsewhere])
    await rm(one, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

test('threads that wait answer after a backup and a restore, each by the build it waits in', async () => {
  await mkdir(inFolder('repository'));
  const repository = await gitRepositoryIn(inFolder('repository'), filesOf('one'));
  const running = await startProgram({ dataFolder: inFolder('data'), environment });
  let deployment: ShownDeployment;
  let threads: [string, string];
  try {
    await until(async () => (await listenersOf(running)).every(({ version }) => version !== null), {
      what: 'the listener to say its version',
    });
    const source_config = { repo_url: repository.url, runtime: 'durable' };
    deployment = await deployed(running, await create(running, 'agent', repository.url, { source_config }));
    const old = await waitingThread(deployment);
    await repository.commit(filesOf('two'));
    const next = { source_revision_config: { repo_ref: 'main' } };
    deployment = await deployed(running, await patch(running, deployment.id, next));
    threads = [old, await waitingThread(deployment)];
    const made = await slipway(
      'backup',
      '--data-dir',
      inFolder('data'),
      '--to',
      inFolder('backup'),
      '--json',
    );
    expect(JSON.parse(made.stdout)).toMatchObject({ databases: '1' });
  } finally {
    await running.stop();
  }

  await slipway('restore', '--from', inFolder('backup'), '--data-dir', inFolder('restored'));
  const restored: Program = await startProgram({ dataFolder: inFolder('restored'), environment });
  try {
    const shown = await deploymentOf(restored, deployment.id);
    await until(
      async () => (await fetch(`${shown.source_config.custom_url}/ok`).catch(() => undefined))?.ok,
      {
        what: () => `the agent to serve again:\n${restored.output()}`,
      },
    );
    const [old, recent] = threads;
    expect(await answer(shown, recent)).toMatchObject({ steps: ['two yes', 'two after'] });
    expect(await answer(shown, old)).toMatchObject({ steps: ['one yes', 'one after'] });
  } finally {
    elsewhere.push(await postgresOf(inFolder('data')), await postgresOf(inFolder('restored')));
    expect(await endProgram(restored)).toEqual([]);
  }
});
