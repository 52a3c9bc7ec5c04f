import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobFor, setUp } from '../../integration/builder/set-up.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { readProcesses } from '../../support/programs/processes.ts';
import { until } from '../../support/until.ts';
import { DurableMachine, type DurableSpec } from './machine.ts';

/** Steps before and after one that waits for a person. `name`: of all its nodes. */
const graphOf = (name: string) => `
import os
from typing import Annotated, TypedDict
from operator import add
from langgraph.graph import StateGraph, START, END
from langgraph.types import interrupt

class State(TypedDict):
    steps: Annotated[list[str], add]

def before(state): return {"steps": ["${name} before"]}
def approve(state): return {"steps": ["${name} " + interrupt("may I?") + " " + os.environ["WORD"]]}
def after(state): return {"steps": ["${name} after"]}

builder = StateGraph(State)
builder.add_node("${name}_before", before)
builder.add_node("${name}_approve", approve)
builder.add_node("${name}_after", after)
builder.add_edge(START, "${name}_before")
builder.add_edge("${name}_before", "${name}_approve")
builder.add_edge("${name}_approve", "${name}_after")
builder.add_edge("${name}_after", END)
graph = builder.compile()
`;

/** Built once; a graph with other names of its nodes is another file in the same place. */
async function built(name: string): Promise<Buffer> {
  const { run, blobs } = await setUp();
  const { url } = await gitRepository({
    'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
    'requirements.txt': 'langgraph\n',
    'agent.py': graphOf(name),
  });
  const { state, log } = await run(jobFor(url, { durable: 'asked' }));
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(log.join('\n'));
  return Buffer.concat(await blobs.read(state.artifact.key).toArray());
}

describe('a durable agent on a machine', () => {
  const ends: (() => void | Promise<void>)[] = [];
  let machine: DurableMachine;

  beforeAll(async () => {
    machine = await DurableMachine.start((end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  async function call(spec: DurableSpec, method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(machine.url(spec.deployment_name, path), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
  const newThread = async (spec: DurableSpec): Promise<string> => {
    const thread = await call(spec, 'POST', '/threads', {});
    return (thread as { thread_id: string }).thread_id;
  };
  const wait = (spec: DurableSpec, thread: string, body: object) =>
    call(spec, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'agent', ...body });
  const serversOf = ({ deployment_id, revision_id }: DurableSpec) => {
    const folder = join(machine.dataFolder, 'deployments', deployment_id, 'revisions', revision_id);
    return readProcesses().filter(({ cwd }) => cwd.startsWith(folder));
  };
  const builds = (spec: DurableSpec): string[] =>
    JSON.parse(
      readFileSync(join(machine.dataFolder, 'deployments', spec.deployment_id, 'builds.json'), 'utf8'),
    );

  test('answers a thread that waited across builds by its own code, with the newest secrets', async () => {
    const [one, two] = [await built('one'), await built('two')];
    const word = (value: string) => ({ environment: [{ name: 'WORD', value }] });
    const first = machine.spec(one, word('old'));
    await machine.deploy(first);
    const thread = await newThread(first);
    expect(await wait(first, thread, { input: { steps: [] } })).toMatchObject({ steps: ['one before'] });

    const { deployment_id, deployment_name } = first;
    const second = machine.spec(two, { deployment_id, deployment_name, epoch: 3, ...word('new') });
    await machine.deploy(second);
    const other = await newThread(second);
    expect(await wait(second, other, { input: { steps: [] } })).toMatchObject({ steps: ['two before'] });
    // It has no runs, so it is stopped; its folder stays, for a thread waits in it.
    await until(() => serversOf(first).length === 0, { what: 'the server of the first build to end' });
    expect(builds(second)).toHaveLength(2);

    expect(await wait(second, thread, { command: { resume: 'yes' } })).toMatchObject({
      steps: ['one before', 'one yes new', 'one after'],
    });
    expect(machine.said).toContainEqual(expect.stringContaining('is wanted: it is started again'));
    await machine.driver.remove(deployment_id, 4);
  });
});
