import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jobFor, setUp } from '../../integration/builder/set-up.ts';
import { gitRepository } from '../../support/files/git-repository.ts';
import { until } from '../../support/until.ts';
import { ask, followed } from '../agent-runtime/agent-server.ts';
import { DurableMachine, type DurableSpec } from './machine.ts';

/** Three steps, of which the second waits while a file is there. */
const GRAPH = `
import asyncio
import os
from operator import add
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    steps: Annotated[list[str], add]


async def first(state):
    return {"steps": ["first"]}


async def held(state):
    while os.path.exists(os.environ["HOLD"]):
        await asyncio.sleep(0.02)
    return {"steps": ["held"]}


async def last(state):
    return {"steps": ["last"]}


builder = StateGraph(State)
for name, node, before in (("first", first, START), ("held", held, "first"), ("last", last, "held")):
    builder.add_node(name, node)
    builder.add_edge(before, name)
builder.add_edge("last", END)
graph = builder.compile()
`;

const ends: (() => void | Promise<void>)[] = [];
let machine: DurableMachine;
let tarball: Buffer;
let spec: DurableSpec;
let hold: string;

beforeAll(async () => {
  machine = await DurableMachine.start((end) => void ends.unshift(end));
  hold = join(machine.dataFolder, 'hold');
});
afterAll(async () => {
  for (const end of ends) await end();
});
beforeEach(async () => {
  await writeFile(hold, '');
});

async function built(): Promise<Buffer> {
  const { run, blobs } = await setUp();
  const { url } = await gitRepository({
    'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
    'requirements.txt': 'langgraph\n',
    'agent.py': GRAPH,
  });
  const { state, log } = await run(jobFor(url, { durable: 'asked' }));
  if (state.state !== 'succeeded' || state.artifact.kind !== 'folder') throw new Error(log.join('\n'));
  return Buffer.concat(await blobs.read(state.artifact.key).toArray());
}

const at = (path: string): string => machine.url(spec.deployment_name, path);
const call = async (method: string, path: string, body?: object): Promise<unknown> => {
  const { status, text } = await ask({ url: at('') }, method, path, body, {
    'content-type': 'application/json',
  });
  if (status >= 400) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text);
};
const statusOf = async (path: string): Promise<string> =>
  z.object({ status: z.string() }).parse(await call('GET', path)).status;

async function untilEnded(path: string): Promise<string> {
  let status = '';
  await until(
    async () => {
      status = await statusOf(path).catch(() => 'unknown');
      return ['success', 'interrupted', 'error', 'timeout'].includes(status);
    },
    { what: () => `${path} to end; it is ${status}` },
  );
  return status;
}

/** A stream that has shown the first step, while the second one waits. */
async function opened(more: object) {
  const { thread_id: thread } = z.object({ thread_id: z.string() }).parse(await call('POST', '/threads', {}));
  const leaving = new AbortController();
  const body = { assistant_id: 'agent', input: { steps: [] }, stream_mode: ['updates'], ...more };
  const response = await fetch(at(`/threads/${thread}/runs/stream`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  const seen: string[] = [];
  const decoder = new TextDecoder();
  const whole = (async () => {
    for await (const part of response.body ?? []) seen.push(decoder.decode(part, { stream: true }));
  })().then(
    () => true,
    () => false,
  );
  await until(() => seen.join('').includes('"first"'), { what: () => `the first step in ${seen.join('')}` });
  const path = response.headers.get('content-location') ?? '';
  return { response, path, thread, seen, whole, leave: () => leaving.abort() };
}

describe('a stream through the listener', () => {
  test('shows each event at once, and names the place to come back to below its own address', async () => {
    tarball = await built();
    spec = machine.spec(tarball, { environment: [{ name: 'HOLD', value: hold }] });
    await machine.deploy(spec);
    const { response, path, thread, seen, whole } = await opened({});
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(path).toMatch(new RegExp(`^/threads/${thread}/runs/[0-9a-f-]{36}$`));
    expect(response.headers.get('location')).toBe(`${path}/stream`);
    await rm(hold);
    expect(await whole).toBe(true);
    expect(seen.join('')).toMatch(/"first"[^]*"held"[^]*"last"/);
    expect(await untilEnded(path)).toBe('success');
  });

  test.each([
    [{}, 'success'],
    [{ on_disconnect: 'continue' }, 'success'],
    [{ on_disconnect: 'cancel' }, 'interrupted'],
  ])('whose client goes away, with %j: the run ends as %s', async (more, status) => {
    const { path, leave } = await opened(more);
    leave();
    if (status === 'success') await rm(hold);
    expect(await untilEnded(path)).toBe(status);
  });

  test('is no client that went away when a release cuts it, and goes on from its last event', async () => {
    const { path, seen, whole } = await opened({ on_disconnect: 'cancel', stream_resumable: true });
    const { deployment_id, deployment_name } = spec;
    const environment = [{ name: 'HOLD', value: hold }];
    const next = machine.spec(tarball, { deployment_id, deployment_name, epoch: 3, environment });
    const deploying = machine.deploy(next);
    await Promise.race([whole, deploying]);
    await rm(hold);
    await deploying;
    spec = next;
    await whole;
    const lastId = [...seen.join('').matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '0';
    expect(await untilEnded(path)).toBe('success');
    const { updates, isWhole } = await followed(at(`${path}/stream`), lastId);
    const before = [...seen.join('').matchAll(/^event: updates\ndata: \{"(\w+)"/gm)].map(([, name]) => name);
    expect(isWhole).toBe(true);
    expect([...before, ...updates]).toEqual(['first', 'held', 'last']);
  });
});
