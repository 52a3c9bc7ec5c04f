import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { checkRelease } from '../../../lib/compute/release-check.ts';
import { askAt } from '../../../lib/compute/server-asker.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { newFolder, removeFolder } from '../../support/files/temporary-folder.ts';
import { writeFiles } from '../../support/files/write-files.ts';
import type { AgentServer } from '../agent-runtime/agent-server.ts';
import { devPython, startDev } from '../agent-runtime/dev-server.ts';

const START_MS = 600_000;
const CHECK_MS = 300_000;

/** Asks a person at a node of this name, in a graph that the node `team` calls. */
const graphWith = (node: string): string => `from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    answer: str


def ask(state: State) -> dict:
    return {"answer": interrupt("yes or no?")}


def chain(name, run):
    builder = StateGraph(State)
    builder.add_node(name, run)
    builder.add_edge(START, name)
    builder.add_edge(name, END)
    return builder.compile()


graph = chain("team", chain("${node}", ask))
`;

/** Everybody may ask, and is shown what is theirs. */
const AUTH = `from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict):
    return {"identity": headers.get(b"x-user", b"nobody").decode()}


@auth.on.threads
async def own(ctx, value):
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return owner
`;

const processes = new ProcessSupervisor();
const { signal } = new AbortController();
let folder: string;
let open: AgentServer;
let closed: AgentServer;
let next: AgentServer;

async function projectServer(name: string, node: string, auth: object): Promise<AgentServer> {
  const project = join(folder, name);
  const config = { dependencies: ['.'], graphs: { agent: './agent.py:graph' }, ...auth };
  const files = { 'agent.py': graphWith(node), 'auth.py': AUTH, 'langgraph.json': JSON.stringify(config) };
  await writeFiles(project, files);
  return startDev(processes, { python: await devPython(processes), folder: project });
}

beforeAll(async () => {
  folder = await newFolder();
  open = await projectServer('open', 'approve', {});
  closed = await projectServer('closed', 'approve', { auth: { path: './auth.py:auth' } });
  next = await projectServer('next', 'confirm', {});
}, START_MS);

afterAll(async () => {
  await processes.close();
  await removeFolder(folder);
});

async function post({ url }: AgentServer, path: string, body: object, user: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-user': user };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

async function waits(server: AgentServer, user: string): Promise<void> {
  const { thread_id: id } = z
    .object({ thread_id: z.string() })
    .parse(await post(server, '/threads', {}, user));
  await post(server, `/threads/${id}/runs/wait`, { assistant_id: 'agent', input: {} }, user);
}

const check = (serving: AgentServer, to: AgentServer, hasOwnAuth = false) =>
  checkRelease({ serving: askAt(serving.url), next: askAt(to.url), hasOwnAuth }, signal);

const lost = (count: number) => [{ graphId: 'agent', state: 'interrupted', node: 'team:approve', count }];

it(
  'counts threads that wait in a graph inside a node, on more pages than one',
  async () => {
    expect(await check(open, next)).toEqual({ kind: 'nothing' });
    let left = 101;
    const some = async () => {
      while (left-- > 0) await waits(open, 'nobody');
    };
    await Promise.all([some(), some(), some(), some(), some()]);
    expect(await check(open, next)).toEqual({ kind: 'lost', lost: lost(101) });
    expect(await check(open, open)).toEqual({ kind: 'nothing' });
  },
  CHECK_MS,
);

it(
  'does not take what an agent of its own auth shows for all that there is',
  async () => {
    await waits(closed, 'ada');
    const none = { kind: 'unknown', why: expect.stringMatching(/own auth decides.*shows none here/) };
    expect(await check(closed, next, true)).toEqual(none);
    expect(await check(closed, open, true)).toEqual(none);
    await waits(closed, 'nobody');
    const some = expect.stringMatching(/own auth decides.*shows 1 here/);
    expect(await check(closed, next, true)).toEqual({ kind: 'lost', lost: lost(1), unknown: some });
    expect(await check(closed, open, true)).toEqual({ kind: 'unknown', why: some });
  },
  CHECK_MS,
);
