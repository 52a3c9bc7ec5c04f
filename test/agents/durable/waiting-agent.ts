import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobFor, setUp } from '../../integration/builder/set-up.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import type { DurableMachine, DurableSpec } from './machine.ts';

/** Steps before and after one that waits for a person. `name`: of all its nodes; `word`: what its code is. */
const graphOf = (name: string, word: string) => `
import os
from typing import Annotated, TypedDict
from operator import add
from langgraph.graph import StateGraph, START, END
from langgraph.types import interrupt

class State(TypedDict):
    steps: Annotated[list[str], add]

def before(state): return {"steps": ["${word} before"]}
def approve(state): return {"steps": ["${word} " + interrupt("may I?") + " " + os.environ.get("WORD", "")]}
def after(state): return {"steps": ["${word} after"]}

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

/** An artifact, built in the test that asks for it; with other names of its nodes, or other code in them. */
export async function builtAgent(name: string, word = name, graphId = 'agent'): Promise<Buffer> {
  const { run, blobs } = await setUp();
  const { url } = await gitRepository({
    'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { [graphId]: './agent.py:graph' } }),
    'requirements.txt': 'langgraph\n',
    'agent.py': graphOf(name, word),
  });
  const { state, log } = await run(jobFor(url, { durable: 'asked' }));
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(log.join('\n'));
  return Buffer.concat(await blobs.read(state.artifact.key).toArray());
}

/** A client of the agents of a machine. */
export class AgentClient {
  readonly #machine: DurableMachine;

  constructor(machine: DurableMachine) {
    this.#machine = machine;
  }

  async answer(
    spec: DurableSpec,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(this.#machine.url(spec.deployment_name, path), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async call(spec: DurableSpec, method: string, path: string, body?: object): Promise<unknown> {
    const { status, text } = await this.answer(spec, method, path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  async newThread(spec: DurableSpec): Promise<string> {
    const thread = await this.call(spec, 'POST', '/threads', {});
    return (thread as { thread_id: string }).thread_id;
  }

  async wait(spec: DurableSpec, thread: string, body: object): Promise<unknown> {
    return this.call(spec, 'POST', `/threads/${thread}/runs/wait`, { assistant_id: 'agent', ...body });
  }

  /** A thread that waits for a person. */
  async waitingThread(spec: DurableSpec): Promise<string> {
    const thread = await this.newThread(spec);
    await this.wait(spec, thread, { input: { steps: [] } });
    return thread;
  }
}

type KeptBuild = { build_id: string; revision_id: string; replaced_at?: number };

/** The file in which a machine notes the builds of a deployment. */
export const buildsFile = (machine: DurableMachine, { deployment_id: id }: DurableSpec): string =>
  join(machine.dataFolder, 'deployments', id, 'builds.json');

export const keptBuilds = (machine: DurableMachine, spec: DurableSpec): KeptBuild[] =>
  JSON.parse(readFileSync(buildsFile(machine, spec), 'utf8'));
